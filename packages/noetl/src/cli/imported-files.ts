import { readdir } from 'node:fs/promises';
import { dirname, extname, join, normalize, resolve, sep } from 'node:path';

/** A file that code imports. */
export interface ImportedFile {
  readonly path: string;
  /** The folder that its name climbs to before it goes down again. */
  readonly through: string;
}

/** Files beside code that it imports, as far as its text says: absolute paths, not all of which need be there. */
export const importedFiles = (
  language: 'python' | 'javascript',
  file: string,
  text: string,
  main: string,
): Promise<readonly ImportedFile[]> =>
  language === 'python' ? pythonImports(text, dirname(main)) : Promise.resolve(javascriptImports(text, dirname(file)));

/** The folder that a name climbs to before it goes down again, if only to where it came from: it has to be there, too. */
export function highestFolder(from: string, name: string): string {
  const parts = normalize(name).split(sep);
  const down = parts.findIndex((part) => part !== '..');
  return resolve(from, ...parts.slice(0, down < 0 ? parts.length : down));
}

/** The folder of the file that a task names is where python looks for modules. */
async function pythonImports(text: string, folder: string): Promise<readonly ImportedFile[]> {
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
  return found.flat().map((path) => ({ path, through: folder }));
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
function javascriptImports(text: string, folder: string): readonly ImportedFile[] {
  const named = text.matchAll(
    /(?:\brequire\s*\(\s*|\bimport\s*\(\s*|\bfrom\s+|\bimport\s+)(['"])(\.{1,2}\/[^'"\n]+)\1/g,
  );
  return [...named].flatMap(([, , name = '']) =>
    ENDINGS.map((ending) => ({ path: resolve(folder, `${name}${ending}`), through: highestFolder(folder, name) })),
  );
}
