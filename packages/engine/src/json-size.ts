import type { Json, JsonMap } from '@noetl/playbook';

/** The bytes of a value as JSON in UTF-8. */
export function jsonSize(value: Json): number {
  const text = JSON.stringify(value);
  let size = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    // A surrogate pair is two units and four bytes.
    size += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return size;
}

/**
 * Whether a value surely has no more bytes than the limit, told without writing its JSON: what is counted is the most
 * that each part can take. False means that it has to be measured.
 */
export const isSurelySmall = (value: Json, limit: number): boolean => room(value, limit) >= 0;

/** An escaped unit of text, as `\u0000`. */
const LONGEST_UNIT = 6;
const LONGEST_SCALAR = 25;

function room(value: Json | undefined, left: number): number {
  if (typeof value === 'string') return left - 2 - LONGEST_UNIT * value.length;
  if (typeof value !== 'object' || value === null) return left - LONGEST_SCALAR;
  let remaining = left - 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && remaining >= 0; index++) remaining = room(value[index], remaining - 1);
    return remaining;
  }
  for (const key in value as JsonMap) {
    if (remaining < 0) break;
    remaining = room((value as JsonMap)[key], remaining - 4 - LONGEST_UNIT * key.length);
  }
  return remaining;
}
