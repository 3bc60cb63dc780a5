import type { Json, JsonMap } from '@noetl/playbook';

/**
 * A number below 2^53 that values have in common if they are equal, and hardly ever otherwise. The order of the keys of a
 * map makes no difference.
 */
export function jsonDigest(value: Json): number {
  const { low, high } = digestOf(value);
  return (high & 0x1f_ff_ff) * 2 ** 32 + low;
}

interface Digest {
  readonly low: number;
  readonly high: number;
}

function digestOf(value: Json): Digest {
  if (typeof value === 'string') return textDigest(value, 's');
  if (typeof value !== 'object' || value === null) return textDigest(String(value), 'p');
  return Array.isArray(value) ? listDigest(value) : mapDigest(value as JsonMap);
}

function listDigest(list: readonly Json[]): Digest {
  let [low, high] = [list.length + 1, ~list.length];
  for (const item of list) {
    const digest = digestOf(item);
    low = mixed(low ^ digest.low, 0x9e37_79b1);
    high = mixed(high ^ digest.high, 0x85eb_ca6b);
  }
  return { low: finished(low), high: finished(high) };
}

/** Entries are added up, so that their order does not count. */
function mapDigest(map: JsonMap): Digest {
  let [low, high] = [7, 11];
  for (const [key, item] of Object.entries(map)) {
    const [name, digest] = [textDigest(key, 'k'), digestOf(item)];
    low = (low + finished(mixed(name.low ^ mixed(digest.low, 0xc2b2_ae35), 0x9e37_79b1))) | 0;
    high = (high + finished(mixed(name.high ^ mixed(digest.high, 0x27d4_eb2f), 0x85eb_ca6b))) | 0;
  }
  return { low: finished(low), high: finished(high) };
}

function textDigest(text: string, sort: 's' | 'p' | 'k'): Digest {
  let low = 0x811c_9dc5 ^ sort.charCodeAt(0);
  let high = 0x1000_0193 ^ sort.charCodeAt(0);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    low = mixed(low ^ code, 0x0100_0193);
    high = mixed(high ^ code, 0x9e37_79b1);
  }
  return { low: finished(low), high: finished(high) };
}

const mixed = (value: number, factor: number): number => {
  const product = Math.imul(value, factor);
  return product ^ (product >>> 15);
};

/** Every bit of what comes in reaches every bit of what goes out. */
const finished = (value: number): number => {
  const once = Math.imul(value ^ (value >>> 16), 0x7feb_352d);
  const twice = Math.imul(once ^ (once >>> 15), 0x846c_a68b);
  return (twice ^ (twice >>> 16)) >>> 0;
};
