import type { Json } from '@noetl/playbook';
import { parseExactJson } from '../../exact-json.ts';
import { exactDecimal, exactInteger, finite } from '../sql/exact-number.ts';
import { OID } from './typed-parameters.ts';

/** Reads the text form of a value. */
export type ReadValue = (text: string) => Json;

const asText: ReadValue = (text) => text;
const asFloat: ReadValue = (text) => finite(Number(text));

const READERS: Readonly<Record<number, ReadValue>> = {
  [OID.bool]: (text) => text === 't',
  [OID.int2]: Number,
  [OID.int4]: Number,
  [OID.oid]: Number,
  [OID.int8]: exactInteger,
  [OID.float4]: asFloat,
  [OID.float8]: asFloat,
  [OID.numeric]: exactDecimal,
  [OID.json]: parseExactJson,
  [OID.jsonb]: parseExactJson,
  [OID.bytea]: bytes,
  [OID.timestamp]: (text) => text.replace(' ', 'T'),
  [OID.timestamptz]: instant,
};

/** Arrays of the types above, and of those that are text. */
const ELEMENTS: Readonly<Record<number, number>> = {
  199: OID.json,
  1000: OID.bool,
  1001: OID.bytea,
  1002: OID.bpchar,
  1005: OID.int2,
  1007: OID.int4,
  1009: OID.text,
  1014: OID.bpchar,
  1015: OID.varchar,
  1016: OID.int8,
  1021: OID.float4,
  1022: OID.float8,
  1028: OID.oid,
  1041: OID.text,
  1115: OID.timestamp,
  1182: OID.date,
  1183: OID.text,
  1185: OID.timestamptz,
  1187: OID.text,
  1231: OID.numeric,
  2951: OID.text,
  3807: OID.jsonb,
};

/** How values of a type are read; those without a form of their own in JSON are their text. */
export function readerOf(type: number): ReadValue {
  const element = ELEMENTS[type];
  if (element === undefined) return READERS[type] ?? asText;
  const read = READERS[element] ?? asText;
  return (text) => arrayOf(text, read);
}

/** `\x…`, or with octal escapes where the server is set so. */
function bytes(text: string): Json {
  const data = text.startsWith('\\x')
    ? Buffer.from(text.slice(2), 'hex')
    : Buffer.from(
        text.replaceAll(/\\(?:(\\)|([0-7]{3}))/g, (_, slash?: string, octal = '') =>
          slash === undefined ? String.fromCharCode(Number.parseInt(octal, 8)) : slash,
        ),
        'latin1',
      );
  return { base64: data.toString('base64'), size: data.length };
}

/** An instant of any zone, in UTC, with its microseconds. What no calendar of JavaScript has stays as it is. */
function instant(text: string): Json {
  const parts = /^(\d{4})-(\d\d)-(\d\d) (\d\d:\d\d:\d\d)(\.\d+)?([+-]\d\d)(?::(\d\d))?(?::(\d\d))?$/.exec(text);
  if (parts === null) return text;
  const [, year, month, day, time, fraction = '', hours = '+00', minutes = '0', seconds = '0'] = parts;
  const sign = hours.startsWith('-') ? -1 : 1;
  const offset = sign * ((Math.abs(Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds));
  const utc = new Date(Date.parse(`${year}-${month}-${day}T${time}Z`) - offset * 1000);
  return `${utc.toISOString().slice(0, 19)}${fraction}Z`;
}

/** `{1,NULL,"a \"b\"",{2}}`, also with bounds before it: `[0:1]={1,2}`. */
function arrayOf(text: string, read: ReadValue): Json {
  let at = text.indexOf('{');
  const list = (): Json => {
    const items: Json[] = [];
    at++;
    while (text[at] !== '}' && at < text.length) {
      items.push(text[at] === '{' ? list() : item());
      if (text[at] === ',') at++;
    }
    at++;
    return items;
  };
  const item = (): Json => {
    if (text[at] !== '"') {
      const [plain = ''] = /[^,}]*/.exec(text.slice(at)) ?? [];
      at += plain.length;
      return plain === 'NULL' ? null : read(plain);
    }
    const quoted = /"((?:[^"\\]|\\[\s\S])*)"/y;
    quoted.lastIndex = at;
    const [whole = '""', inner = ''] = quoted.exec(text) ?? [];
    at += whole.length;
    return read(inner.replaceAll(/\\([\s\S])/g, '$1'));
  };
  return list();
}
