import type { DuckDBPreparedStatement, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import type { Json } from '@noetl/playbook';

type Api = typeof import('@duckdb/node-api');

/** Gives the values of a statement their types: numbers as numbers, lists of one type as lists, other data as JSON. */
export function bindValues(statement: DuckDBPreparedStatement, values: readonly Json[], api: Api): void {
  for (const [i, value] of values.entries()) {
    const { bound, type } = typed(value, api);
    statement.bindValue(i + 1, bound, type);
  }
}

interface TypedValue {
  readonly bound: DuckDBValue;
  readonly type: DuckDBType;
}

const INT32 = 2 ** 31;

function typed(value: Json, api: Api): TypedValue {
  if (value === null) return { bound: null, type: api.SQLNULL };
  if (typeof value === 'boolean') return { bound: value, type: api.BOOLEAN };
  if (typeof value === 'string') return { bound: value, type: api.VARCHAR };
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) return { bound: value, type: api.DOUBLE };
    return value >= -INT32 && value < INT32
      ? { bound: value, type: api.INTEGER }
      : { bound: BigInt(value), type: api.BIGINT };
  }
  const list = Array.isArray(value) ? listOf(value, api) : undefined;
  return list ?? { bound: JSON.stringify(value), type: api.VARCHAR };
}

/** Undefined if the items have no type in common. */
function listOf(items: readonly Json[], api: Api): TypedValue | undefined {
  const present = items.filter((item) => item !== null);
  const all = (type: 'string' | 'number' | 'boolean') => present.every((item) => typeof item === type);
  const list = (type: DuckDBType, bound: readonly DuckDBValue[]): TypedValue => ({
    bound: api.listValue(bound),
    type: api.LIST(type),
  });
  if (present.length === 0)
    return list(
      api.SQLNULL,
      items.map(() => null),
    );
  if (all('string')) return list(api.VARCHAR, items as readonly string[]);
  if (all('boolean')) return list(api.BOOLEAN, items as readonly boolean[]);
  if (!all('number')) return undefined;
  return present.every(Number.isSafeInteger)
    ? list(
        api.BIGINT,
        items.map((item) => (item === null ? null : BigInt(item as number))),
      )
    : list(api.DOUBLE, items as readonly number[]);
}
