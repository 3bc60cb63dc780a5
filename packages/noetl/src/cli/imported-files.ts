import { readdir } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';

/** Files beside code that it imports, as far as its text says: absolute paths, not all of which need be there. */
export const importedFiles = (
  language: 'python' | 'javascript',
  file: string,
  text: string,
  main: string,
): Promise<readonly string[]> =>
  language === 'python' ? pythonImports(text, dirname(main)) : Promise.resolve(javascriptImports(text, dirname(file)));

/** The folder of the file that a task names is where python looks for modules. */
async function pythonImports(text: string, folder: string): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const [, from, modules = ''] of text.matchAll(
    /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([\w., \t]+))/gm,
  )) {
    for (const module of from === undefined ? modules.split(',') : [from]) {
      const [top = ''] = module.trim().split(/[. ]/);
      if (top !== '') names.add(top);
    }
  }
  const found = await Promise.all(
    [...names].map(async (name) => [join(folder, `${name}.py`), ...(await packageFiles(join(folder, name)))]),
  );
  return found.flat();
}

/** The modules of a package: a folder of them. */
async function packageFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries.map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name.startsWith('.') ? [] : packageFiles(path);
      return extname(path) === '.py' ? [path] : [];
    }),
  );
  return found.flat();
}

const ENDINGS = ['', '.js', '.mjs', '.cjs', '.json', '/index.js'];

/** What `require`, `import … from` and `import()` name by a relative path. Others are libraries. */
function javascriptImports(text: string, folder: string): readonly string[] {
  const named = text.matchAll(
    /(?:\brequire\s*\(\s*|\bimport\s*\(\s*|\bfrom\s+|\bimport\s+)(['"])(\.{1,2}\/[^'"\n]+)\1/g,
  );
  return [...named].flatMap(([, , path = '']) => ENDINGS.map((ending) => resolve(folder, `${path}${ending}`)));
}
