import { join } from 'node:path';
import type { Terminal } from './terminal.ts';

type Folders = Pick<Terminal, 'look' | 'list'>;

/** Whether a path has characters that only a pattern needs. */
export const isGlob = (path: string): boolean => /[*?[{]/.test(path);

/** What is hidden, and folders that hold other people's files. */
export const isSkipped = (name: string): boolean => name === 'node_modules' || name.startsWith('.');

/**
 * The paths that match a pattern, sorted: `*`, `?` and `[a-z]` within a name, `**` for any number of folders, `{a,b}`
 * for either. Names that begin with a dot must be asked for, as in a shell.
 */
export async function findByGlob(pattern: string, terminal: Folders): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const alternative of expandBraces(pattern)) {
    const segments = alternative.split(/\/+/).filter((segment, i) => segment !== '' || i === 0);
    const base = segments[0] === '' ? '/' : '';
    const collapsed = segments.filter(
      (segment, i) => segment !== '' && !(segment === '**' && segments[i - 1] === '**'),
    );
    for await (const path of walk(base, collapsed, terminal)) found.add(path);
  }
  return [...found].sort();
}

/** `{a,b}/c` → `a/c`, `b/c`; inner braces first. */
function expandBraces(pattern: string): readonly string[] {
  const [braces, choices = ''] = /\{([^{}]*,[^{}]*)\}/.exec(pattern) ?? [];
  if (braces === undefined) return [pattern];
  const at = pattern.indexOf(braces);
  const [before, after] = [pattern.slice(0, at), pattern.slice(at + braces.length)];
  return choices.split(',').flatMap((choice) => expandBraces(before + choice + after));
}

async function* walk(base: string, segments: readonly string[], terminal: Folders): AsyncGenerator<string> {
  const [segment, ...rest] = segments;
  if (segment === undefined) {
    if ((await terminal.look(base || '.')) !== undefined) yield base || '.';
  } else if (segment === '**') {
    yield* walk(base, rest, terminal);
    // A folder that ends the pattern stands for all that is in it.
    if (rest.length === 0) return;
    for (const { name, kind } of await entriesOf(base, terminal)) {
      if (kind === 'folder' && !isSkipped(name)) yield* walk(join(base, name), segments, terminal);
    }
  } else if (!isGlob(segment)) {
    yield* walk(join(base, segment), rest, terminal);
  } else {
    const matches = namePattern(segment);
    for (const { name } of await entriesOf(base, terminal)) {
      if (matches.test(name) && (segment.startsWith('.') || !name.startsWith('.'))) {
        yield* walk(join(base, name), rest, terminal);
      }
    }
  }
}

async function entriesOf(folder: string, terminal: Folders) {
  return (await terminal.look(folder || '.')) === 'folder' ? terminal.list(folder || '.') : [];
}

function namePattern(segment: string): RegExp {
  const source = segment.replace(/\[([!^]?)([^\]]+)\]|[\s\S]/gu, (part, negated: string, set: string | undefined) => {
    if (part === '*') return '.*';
    if (part === '?') return '.';
    if (set === undefined || !isOrdered(set)) return escapeText(part);
    return `[${negated === '' ? '' : '^'}${set.replace(/[\\\]^[]/g, '\\$&')}]`;
  });
  return new RegExp(`^${source.replace(/(\.\*)+/g, '.*')}$`, 'su');
}

/** Whether every range of `[a-z]` goes upwards. */
function isOrdered(set: string): boolean {
  return [...set.matchAll(/([\s\S])-([\s\S])/gu)].every(([, from = '', to = '']) => from <= to);
}

const escapeText = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
