import type { Json } from '@noetl/playbook';

/** Numbers by which PostgreSQL knows its types. */
export const OID = {
  bool: 16,
  bytea: 17,
  name: 19,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  oid: 26,
  json: 114,
  xml: 142,
  jsonList: 199,
  float4: 700,
  float8: 701,
  unknown: 705,
  boolList: 1000,
  int4List: 1007,
  textList: 1009,
  int8List: 1016,
  bpchar: 1042,
  varchar: 1043,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  numericList: 1231,
  numeric: 1700,
  jsonb: 3802,
  jsonbList: 3807,
} as const;

/** The server decides by what stands around the parameter, as it does for a quoted literal. */
const UNDECIDED = 0;
const INT4 = 2 ** 31;

/** One try to let the server understand a statement. */
export interface ParameterTypes {
  readonly types: readonly number[];
  /** Whether what the server made of them is what was meant. */
  accepts(described: readonly number[]): boolean;
}

/**
 * Numbers and booleans are what they would be if they stood in the statement; all else is decided by the server. Where it
 * cannot, the second takes what each value is by itself; in the third a number may also stand for text.
 */
export const parameterTypes = (values: readonly Json[]): readonly ParameterTypes[] => [
  { types: values.map(plainType), accepts: () => true },
  { types: values.map((value) => plainType(value) || dataType(value)), accepts: () => true },
  {
    types: values.map(() => UNDECIDED),
    accepts: (described) => values.every((value, i) => plainType(value) === UNDECIDED || isTextual(described[i] ?? 0)),
  },
];

/** Types of extensions, such as citext, have numbers of their own. */
const isTextual = (type: number): boolean => AS_JSON.has(type) || type === OID.name || type >= FIRST_OWN;
const FIRST_OWN = 16_384;

function plainType(value: Json): number {
  if (typeof value === 'boolean') return OID.bool;
  return typeof value === 'number' ? numberType(value) : UNDECIDED;
}

function numberType(value: number): number {
  if (!Number.isSafeInteger(value)) return OID.numeric;
  return value >= -INT4 && value < INT4 ? OID.int4 : OID.int8;
}

const LISTS: Readonly<Record<number, number>> = {
  [OID.int4]: OID.int4List,
  [OID.int8]: OID.int8List,
  [OID.numeric]: OID.numericList,
};

function dataType(value: Json): number {
  if (!Array.isArray(value)) return typeof value === 'object' && value !== null ? OID.jsonb : UNDECIDED;
  const items = (value as readonly Json[]).filter((item) => item !== null);
  if (items.length === 0) return UNDECIDED;
  if (items.every((item) => typeof item === 'string')) return OID.textList;
  if (items.every((item) => typeof item === 'boolean')) return OID.boolList;
  if (!items.every((item) => typeof item === 'number')) return OID.jsonb;
  const types = items.map((item) => numberType(item as number));
  const widest = [OID.numeric, OID.int8, OID.int4].find((type) => types.includes(type)) ?? OID.int4;
  return LISTS[widest] ?? OID.numericList;
}

/** Types that keep a list as JSON. */
const AS_JSON: ReadonlySet<number> = new Set([
  ...[UNDECIDED, OID.text, OID.json, OID.xml, OID.unknown, OID.bpchar, OID.varchar, OID.jsonb],
]);

/** A value in the text form of its type. */
export function parameterText(value: Json, type: number): string | null {
  if (value === null || typeof value === 'string') return value as string | null;
  if (typeof value !== 'object') return String(value);
  return Array.isArray(value) && !AS_JSON.has(type)
    ? arrayText(value, type === OID.jsonList || type === OID.jsonbList)
    : JSON.stringify(value);
}

function arrayText(items: readonly Json[], isJson: boolean): string {
  const texts = items.map((item) => {
    if (isJson) return quoted(JSON.stringify(item));
    if (item === null) return 'NULL';
    if (Array.isArray(item)) return arrayText(item, isJson);
    return quoted(typeof item === 'string' ? item : JSON.stringify(item));
  });
  return `{${texts.join(',')}}`;
}

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
