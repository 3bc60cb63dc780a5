/** SHA-256 (FIPS 180-4) of bytes, in hexadecimal. */
export function sha256Hex(bytes: readonly number[]): string {
  const padded = [...bytes, 0x80];
  while (padded.length % 64 !== 56) padded.push(0);
  const bitLength = bytes.length * 8;
  for (let shift = 56; shift >= 0; shift -= 8) padded.push(Math.floor(bitLength / 2 ** shift) & 255);

  const hash = [...INITIAL];
  const schedule = new Int32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 64; i++) schedule[i] = i < 16 ? wordAt(padded, block + i * 4) : expand(schedule, i);
    compress(hash, schedule);
  }
  return hash.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

const primes = firstPrimes(64);
const fractionBits = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
const INITIAL: readonly number[] = primes.slice(0, 8).map((p) => fractionBits(Math.sqrt(p)));
const ROUNDS: readonly number[] = primes.map((p) => fractionBits(Math.cbrt(p)));

function firstPrimes(count: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (found.every((p) => n % p !== 0)) found.push(n);
  return found;
}

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function wordAt(bytes: readonly number[], i: number): number {
  return ((bytes[i] ?? 0) << 24) | ((bytes[i + 1] ?? 0) << 16) | ((bytes[i + 2] ?? 0) << 8) | (bytes[i + 3] ?? 0);
}

function expand(w: Int32Array, i: number): number {
  const a = w[i - 15] ?? 0;
  const b = w[i - 2] ?? 0;
  const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
  const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
  return ((w[i - 16] ?? 0) + s0 + (w[i - 7] ?? 0) + s1) | 0;
}

function compress(hash: number[], schedule: Int32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const t1 = (h + s1 + choice + (ROUNDS[i] ?? 0) + (schedule[i] ?? 0)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + s0 + majority) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    hash[i] = ((hash[i] ?? 0) + word) | 0;
  });
}
