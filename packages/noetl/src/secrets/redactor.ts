import type { Json } from '@noetl/playbook';
import { encodingsOf } from './encodings.ts';

export interface Secret {
  /** The entry of the keychain, with the field if it has several: `warehouse.password`. */
  readonly name: string;
  readonly value: string;
}

/** Replaces what must not be seen by `[secret:NAME]`, in any common encoding (SEC-3). */
export interface Redactor {
  text(text: string): string;
  /** The same value if it holds no secret, else a copy. Keys are looked at too. */
  json<T extends Json>(value: T): T;
  /** How many characters at the end could be the beginning of a secret. */
  pending(text: string): number;
  /** Whether there is nothing to look for. */
  readonly idle: boolean;
  /** The names of secrets that are too short to be looked for inside of other text. */
  readonly short: readonly string[];
}

/** Shorter values would be found everywhere. */
const SHORTEST = 6;

const NOTHING: Redactor = { text: (text) => text, json: (value) => value, pending: () => 0, idle: true, short: [] };

export function redactor(secrets: readonly Secret[]): Redactor {
  const known = secrets.filter(({ value }) => value !== '');
  if (known.length === 0) return NOTHING;
  const whole = new Map(known.map(({ name, value }) => [value, markOf(name)]));
  const marks = new Map<string, string>();
  for (const { name, value } of known.filter(isLong)) {
    for (const form of encodingsOf(value)) if (!marks.has(form)) marks.set(form, markOf(name));
  }
  const forms = [...marks.keys()].sort((a, b) => b.length - a.length);
  const pattern = forms.length === 0 ? undefined : new RegExp(forms.map(escaped).join('|'), 'g');

  const text = (source: string): string =>
    whole.get(source) ?? (pattern === undefined ? source : source.replace(pattern, (form) => marks.get(form) ?? form));
  const json = (value: Json): Json => {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number') return whole.get(String(value)) ?? value;
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? list(value) : map(value as { readonly [key: string]: Json });
  };
  const list = (items: readonly Json[]): Json => {
    const redacted = items.map(json);
    return redacted.some((item, i) => item !== items[i]) ? redacted : items;
  };
  const map = (entries: { readonly [key: string]: Json }): Json => {
    let same = true;
    const redacted = Object.entries(entries).map(([key, value]) => {
      const entry = [text(key), json(value)] as const;
      same &&= entry[0] === key && entry[1] === value;
      return entry;
    });
    return same ? entries : Object.fromEntries(redacted);
  };
  return {
    text,
    json: <T extends Json>(value: T) => json(value) as T,
    pending: (source) => longestBeginning(source, forms),
    idle: false,
    short: known.filter((secret) => !isLong(secret)).map(({ name }) => name),
  };
}

function longestBeginning(text: string, forms: readonly string[]): number {
  const most = Math.min(text.length, (forms[0]?.length ?? 1) - 1);
  for (let length = most; length > 0; length--) {
    const end = text.slice(-length);
    if (forms.some((form) => form.length > length && form.startsWith(end))) return length;
  }
  return 0;
}

const isLong = ({ value }: Secret): boolean => value.length >= SHORTEST;
const markOf = (name: string): string => `[secret:${name}]`;
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
