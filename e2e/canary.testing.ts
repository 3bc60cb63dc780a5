import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A secret that was made for one test and is nowhere else in the world. */
export interface Canary {
  readonly name: string;
  readonly value: string;
}

/** What makes texts hard to recognise once programs have written them into others. */
const AWKWARD = ['', '/+=', '"quoted"', "it's", 'a&b<c>d', '100%+x y', 'back\\slash', 'ümläut', '€uro', '?q=1#h'];

export const canaries = (count: number): readonly Canary[] =>
  Array.from({ length: count }, (_, nth) => ({
    name: `CANARY_${nth}`,
    value: `${randomBytes(9).toString('base64url')}${AWKWARD[nth % AWKWARD.length]}${randomBytes(9).toString('hex')}`,
  }));

/** The ways in which a text is commonly written; made here, and not by what is under test. */
const ENCODINGS: Readonly<Record<string, (value: string) => string>> = {
  plain: (value) => value,
  json: (value) => JSON.stringify(value).slice(1, -1),
  'json of ascii': (value) =>
    JSON.stringify(value)
      .slice(1, -1)
      .replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
  percent: encodeURIComponent,
  form: (value) => new URLSearchParams({ v: value }).toString().slice(2),
  html: (value) => value.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`).replaceAll('&#38;', '&amp;'),
  base64: (value) => Buffer.from(value).toString('base64').replace(/=+$/, '').slice(0, -1),
  base64url: (value) => Buffer.from(value).toString('base64url').slice(0, -1),
  hex: (value) => Buffer.from(value).toString('hex'),
  HEX: (value) => Buffer.from(value).toString('hex').toUpperCase(),
};

/** So much of the random beginning gives a secret away, too, where the rest was written in a way that nobody knows. */
const BEGINNING = 12;

/** Where secrets are, byte by byte: `sink: secret (encoding)`. */
export function sightings(sinks: ReadonlyMap<string, Buffer>, secrets: readonly Canary[]): readonly string[] {
  const found: string[] = [];
  for (const { name, value } of secrets) {
    const forms = new Map(Object.entries(ENCODINGS).map(([encoding, encode]) => [encode(value), encoding]));
    forms.set(value.slice(0, BEGINNING), 'its beginning');
    for (const [form, encoding] of forms) {
      for (const [sink, bytes] of sinks) {
        const at = bytes.indexOf(form);
        if (at === -1) continue;
        const around = bytes.subarray(Math.max(0, at - 60), at).toString('utf8');
        found.push(`${sink}: ${name} (${encoding}) behind ${JSON.stringify(around)}`);
      }
    }
  }
  return found;
}

/** Every file of a folder, by its path. */
export function filesBelow(folder: string): ReadonlyMap<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry) => [join(entry.parentPath, entry.name), readFileSync(join(entry.parentPath, entry.name))]),
  );
}
