/**
 * Whether a value of the engine is the recorded one. JSON carries no bigint, infinity or undefined, so the record marks
 * them: `{"$bigint": "…"}`, `{"$float": "inf"}`, `{"$undefined": true}`. Integers and floats are one kind of number.
 */
export function sameValue(expected: unknown, actual: unknown): boolean {
  const marker = readMarker(expected);
  if (marker) return marker(actual);
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((item, index) => sameValue(item, actual[index]))
    );
  }
  if (isRecord(expected)) {
    const entries = mappingEntries(actual);
    const wanted = Object.entries(expected);
    return (
      entries !== undefined &&
      entries.size === wanted.length &&
      wanted.every(([key, value]) => entries.has(key) && sameValue(value, entries.get(key)))
    );
  }
  if (typeof expected === 'number' && typeof actual === 'bigint') return BigInt(expected) === actual;
  return expected === actual;
}

function readMarker(expected: unknown): ((actual: unknown) => boolean) | undefined {
  if (!isRecord(expected)) return undefined;
  const keys = Object.keys(expected);
  if (keys.length !== 1) return undefined;
  if (expected.$undefined === true) return (actual) => actual === undefined;
  if (typeof expected.$bigint === 'string') {
    const exact = BigInt(expected.$bigint);
    return (actual) => typeof actual === 'bigint' && actual === exact;
  }
  if (typeof expected.$float === 'string') {
    const special = { inf: Infinity, '-inf': -Infinity, nan: NaN }[expected.$float];
    return (actual) => Object.is(actual, special);
  }
  return undefined;
}

function mappingEntries(value: unknown): Map<string, unknown> | undefined {
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [String(key), item]));
  return isRecord(value) ? new Map(Object.entries(value)) : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
