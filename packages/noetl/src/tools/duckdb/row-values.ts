import type {
  DuckDBBlobValue,
  DuckDBIntervalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBType,
  DuckDBUnionValue,
  DuckDBValue,
} from '@duckdb/node-api';
import type { Json } from '@noetl/playbook';
import { parseExactJson } from '../../exact-json.ts';
import { exactDecimal, exactInteger, finite } from '../sql/exact-number.ts';

/** A value of a row as JSON keeps it; `type` as DuckDB writes it. */
export function jsonOf(value: DuckDBValue, type: DuckDBType): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return finite(value);
  if (typeof value === 'bigint') return exactInteger(String(value));
  if (typeof value === 'string') return type.alias === 'JSON' ? parseExactJson(value) : value;
  const name = type.toString();
  if ('items' in value) return listJson(value as DuckDBListValue, type as { valueType: DuckDBType });
  if (name.startsWith('STRUCT')) return structJson(value as DuckDBStructValue, type as StructType);
  if (name.startsWith('MAP')) return mapJson(value as DuckDBMapValue, type as MapType);
  if (name.startsWith('UNION')) return unionJson(value as DuckDBUnionValue, type as UnionType);
  if (name === 'BLOB') {
    const { bytes } = value as DuckDBBlobValue;
    return { base64: Buffer.from(bytes).toString('base64'), size: bytes.length };
  }
  if (name.startsWith('DECIMAL')) return exactDecimal(value.toString());
  if (name === 'TIMESTAMP WITH TIME ZONE') return instantText((value as DuckDBTimestampTZValue).micros);
  if (name.startsWith('TIMESTAMP')) return value.toString().replace(' ', 'T');
  if (name === 'INTERVAL') return (value as DuckDBIntervalValue).toString();
  return value.toString();
}

type MapType = DuckDBType & { readonly keyType: DuckDBType; readonly valueType: DuckDBType };
type StructType = DuckDBType & { readonly entryNames: readonly string[]; readonly entryTypes: readonly DuckDBType[] };
type UnionType = DuckDBType & { readonly memberTags: readonly string[]; readonly memberTypes: readonly DuckDBType[] };

const listJson = ({ items }: DuckDBListValue, { valueType }: { readonly valueType: DuckDBType }): Json =>
  items.map((item) => jsonOf(item, valueType));

const structJson = ({ entries }: DuckDBStructValue, { entryNames, entryTypes }: StructType): Json =>
  Object.fromEntries(
    entryNames.map((name, i) => [name, jsonOf(entries[name] ?? null, entryTypes[i] as DuckDBType)] as const),
  );

/** A mapping if its keys are texts, else a list of keys and values. */
function mapJson({ entries }: DuckDBMapValue, { keyType, valueType }: MapType): Json {
  const pairs = entries.map(({ key, value }) => [jsonOf(key, keyType), jsonOf(value, valueType)] as const);
  return pairs.every(([key]) => typeof key === 'string')
    ? Object.fromEntries(pairs)
    : pairs.map(([key, value]) => ({ key, value }));
}

function unionJson({ tag, value }: DuckDBUnionValue, { memberTags, memberTypes }: UnionType): Json {
  const type = memberTypes[memberTags.indexOf(tag)];
  return type === undefined ? null : jsonOf(value, type);
}

/** Microseconds since 1970 as ISO text; DuckDB's infinities lie beyond what a date can be. */
function instantText(micros: bigint): string {
  const part = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const date = new Date(Number((micros - part) / 1000n));
  if (Number.isNaN(date.getTime())) return micros > 0n ? 'infinity' : '-infinity';
  const fraction = part === 0n ? '' : `.${String(part).padStart(6, '0').replace(/0+$/, '')}`;
  return `${date.toISOString().slice(0, -5)}${fraction}Z`;
}
