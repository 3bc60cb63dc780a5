import { describe, expect, it } from 'vitest';
import { findByGlob } from './glob.ts';
import type { Terminal } from './terminal.ts';

const FOLDERS: Record<string, readonly string[]> = {
  '.': ['a.yaml', 'b.yaml', 'B.yaml', '.c.yaml', 'x+y.yaml', 'flows/', 'node_modules/', '.git/'],
  flows: ['1.yaml', '2.yml', 'deep/'],
  'flows/deep': ['3.yaml', 'deeper/'],
  'flows/deep/deeper': ['4.yaml'],
  node_modules: ['n.yaml'],
  '.git': ['g.yaml'],
  '/': ['root.yaml'],
};

const terminal = {
  look: async (path: string) => {
    if (FOLDERS[path] !== undefined) return 'folder';
    return Object.entries(FOLDERS).some(([folder, names]) =>
      names.some((name) => (folder === '.' ? name : `${folder === '/' ? '' : folder}/${name}`) === path),
    )
      ? 'file'
      : undefined;
  },
  list: async (folder: string) =>
    (FOLDERS[folder] ?? []).map((name) => ({
      name: name.replace('/', ''),
      kind: name.endsWith('/') ? 'folder' : 'file',
    })),
} as Pick<Terminal, 'look' | 'list'>;

describe('a glob', () => {
  it.each([
    ['*.yaml', ['B.yaml', 'a.yaml', 'b.yaml', 'x+y.yaml']],
    ['?.yaml', ['B.yaml', 'a.yaml', 'b.yaml']],
    ['[ab].yaml', ['a.yaml', 'b.yaml']],
    ['[a-z].yaml', ['a.yaml', 'b.yaml']],
    ['[!a-z].yaml', ['B.yaml']],
    ['[^b].yaml', ['B.yaml', 'a.yaml']],
    ['[z-a].yaml', []],
    ['[a.yaml', []],
    ['{a,b}.yaml', ['a.yaml', 'b.yaml']],
    ['{flows,none}/{1,2}.y{a,}ml', ['flows/1.yaml', 'flows/2.yml']],
    ['{a,{b,c}}.yaml', ['a.yaml', 'b.yaml']],
    ['x+*.yaml', ['x+y.yaml']],
    ['.*.yaml', ['.c.yaml']],
    ['f*/*.yaml', ['flows/1.yaml']],
    ['flows/**/*.yaml', ['flows/1.yaml', 'flows/deep/3.yaml', 'flows/deep/deeper/4.yaml']],
    ['**/**/3.yaml', ['flows/deep/3.yaml']],
    ['**/deep/**/4.yaml', ['flows/deep/deeper/4.yaml']],
    ['**/n.yaml', []],
    ['**/g.yaml', []],
    ['node_modules/*.yaml', ['node_modules/n.yaml']],
    ['.git/*', ['.git/g.yaml']],
    ['flows/d*', ['flows/deep']],
    ['flows/**', ['flows']],
    ['./flows//*.yml', ['flows/2.yml']],
    ['a.yaml/*', []],
    ['/r*', ['/root.yaml']],
    ['none/*', []],
  ])('%s', async (pattern, expected) => {
    expect(await findByGlob(pattern, terminal)).toEqual(expected);
  });
});
