import { limitFault, typeFault } from '../template-error.ts';
import { Float } from './float.ts';
import { normalizeInteger } from './integer.ts';
import { Tuple } from './list.ts';
import { Markup } from './markup.ts';
import { type Kind, Special, typeName } from './special.ts';

interface Entry {
  readonly key: unknown;
  value: unknown;
}

/**
 * A mapping that a template made: any hashable key, in the order of insertion (a JavaScript object would move keys
 * like "2" to the front). Plain objects are the caller's mappings.
 */
export class Dict extends Special {
  private readonly map = new Map<unknown, Entry>();

  get kind(): Kind {
    return 'dict';
  }

  get size(): number {
    return this.map.size;
  }

  has(key: unknown): boolean {
    return this.map.has(hashOf(key));
  }

  get(key: unknown): unknown {
    return this.map.get(hashOf(key))?.value;
  }

  set(key: unknown, value: unknown): void {
    const hash = hashOf(key);
    const entry = this.map.get(hash);
    // As in Python, a key that is set again keeps its place and its first spelling (1 and 1.0 are one key).
    if (entry !== undefined) entry.value = value;
    else this.map.set(hash, { key, value });
  }

  delete(key: unknown): void {
    this.map.delete(hashOf(key));
  }

  clear(): void {
    this.map.clear();
  }

  entries(): Iterable<Entry> {
    return this.map.values();
  }
}

/** Equal keys have the same hash: True, 1 and 1.0 are one key, '1' is another. */
export function hashOf(key: unknown): unknown {
  switch (typeof key) {
    case 'string':
      return key.charCodeAt(0) === 0 ? `\0s${key}` : key;
    case 'number':
      return key;
    case 'boolean':
      return Number(key);
    case 'bigint':
      return normalizeInteger(key);
    default:
      if (key === null) return null;
      if (key instanceof Float) return key.value;
      if (key instanceof Markup) return hashOf(key.text);
      if (key instanceof Tuple) return `\0t${hashOfItems(key.items)}`;
      if (key instanceof Special && key.kind !== 'dict') return key.hash();
      throw typeFault(`${typeName(key)} cannot be the key of a mapping.`, 'Use text, a number or a tuple of them.');
  }
}

const MAX_KEY_LENGTH = 65_536;

/** Length and type before each item, so that no two tuples of different items look the same. */
function hashOfItems(items: readonly unknown[]): string {
  let text = '';
  for (const item of items) {
    const hash = hashOf(item);
    const shown = String(hash);
    text += `${typeof hash}:${shown.length}:${shown},`;
    if (text.length > MAX_KEY_LENGTH) throw limitFault('this tuple is too large to be the key of a mapping.');
  }
  return text;
}
