import type { Json } from '@noetl/playbook';
import { CUT, cutEnds } from './cut-ends.ts';
import { type Disguise, disguiseOf, pendingDisguise } from './disguises.ts';
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

/** What may stand inside of a number as it is written. */
const NUMERIC = /^[\d.e+-]+$/i;

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
  const disguised = disguisesOf(known.filter(isLong));
  const pattern = forms.length === 0 ? undefined : patternOf(forms, disguised);

  /** What was found in a disguise is told by the group that found it. */
  const markOfFound = (form: string, ...groups: readonly (string | undefined)[]): string =>
    marks.get(form) ?? disguised[groups.findIndex((group) => typeof group === 'string')]?.mark ?? form;
  const withoutCutEnds = cutEnds(marks, SHORTEST);
  const text = (source: string): string => {
    const mark = whole.get(source);
    if (mark !== undefined || pattern === undefined) return mark ?? source;
    const found = source.replace(pattern, markOfFound);
    return found.includes(CUT) ? withoutCutEnds(found) : found;
  };
  const json = (value: Json): Json => {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number') return number(value);
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? list(value) : map(value as { readonly [key: string]: Json });
  };
  const inNumbers = forms.some((form) => NUMERIC.test(form));
  const number = (value: number): Json => {
    const written = String(value);
    const found = inNumbers ? text(written) : (whole.get(written) ?? written);
    return found === written ? value : found;
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
    pending: (source) =>
      disguised.reduce((most, one) => Math.max(most, pendingDisguise(source, one)), longestBeginning(source, forms)),
    idle: false,
    short: known.filter((secret) => !isLong(secret)).map(({ name }) => name),
  };
}

interface Disguised extends Disguise {
  readonly mark: string;
}

function disguisesOf(secrets: readonly Secret[]): readonly Disguised[] {
  const found = new Map<string, Disguised>();
  for (const { name, value } of secrets) {
    for (const form of [value, Buffer.from(value).toString('base64').replace(/=+$/, '')]) {
      const disguise = disguiseOf(form);
      if (disguise !== undefined && !found.has(disguise.pattern)) {
        found.set(disguise.pattern, { ...disguise, mark: markOf(name) });
      }
    }
  }
  return [...found.values()];
}

/** Forms first: what is found as it is known to be written is found to its last character. */
const patternOf = (forms: readonly string[], disguised: readonly Disguise[]): RegExp =>
  new RegExp([...forms.map(escaped), ...disguised.map(({ pattern }) => `(${pattern})`)].join('|'), 'g');

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
