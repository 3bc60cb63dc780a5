import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Example {
  readonly command: string;
  readonly output: string;
}

/** In a `sh` block: a command, and what it prints as a comment. In a `console` block: a command after `$`, and what it says. */
function examplesIn(document: string): Example[] {
  const text = readFileSync(new URL(`../${document}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/```(sh|console)\n(.*?)```/gs)];
  return blocks.flatMap(([, kind, block = '']) => {
    if (kind === 'console') {
      const [command = '', ...output] = block.split('\n');
      return [{ command: command.replace(/^\$ /, ''), output: output.join('\n') }];
    }
    const commands = block.replaceAll('|\n', '| ').split('\n');
    return commands.flatMap((line) => {
      const [, command, output] = /^(.*\.\/noetl .*?) +# (.*)$/.exec(line) ?? [];
      return command === undefined ? [] : [{ command, output: `${output}\n` }];
    });
  });
}

describe.each(['README.md', 'docs/reference/cli.md'])('the examples of %s', (document) => {
  it.each(examplesIn(document))('$command', ({ command, output }) => {
    const { stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: root, encoding: 'utf8' });
    // Whether the launcher has to build depends on what was done before.
    expect(stdout + stderr.replace(/^noetl: building\n/, '')).toBe(output);
  });
});

describe('the documents', () => {
  it('link only to files that exist', () => {
    const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'], {
      cwd: root,
    });
    const broken = files
      .toString()
      .split('\0')
      .filter((file) => file !== '' && existsSync(join(root, file)))
      .flatMap((file) => {
        const links = [...readFileSync(join(root, file), 'utf8').matchAll(/\]\((?!\w+:|#)([^)#]+)/g)];
        return links
          .filter(([, link = '']) => !existsSync(join(root, dirname(file), link)))
          .map(([, link]) => `${file} → ${link}`);
      });
    expect(broken).toEqual([]);
  });
});
