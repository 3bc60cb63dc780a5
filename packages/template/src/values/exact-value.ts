/** A double as an exact fraction. */
export interface Exact {
  readonly negative: boolean;
  /** |n| = numerator / 2^shift, exactly. */
  readonly numerator: bigint;
  readonly shift: bigint;
}

export function exactValue(n: number): Exact {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(n));
  const bits = view.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const fraction = bits & ((1n << 52n) - 1n);
  const mantissa = exponent === 0 ? fraction : fraction | (1n << 52n);
  const power = BigInt(Math.max(exponent, 1) - 1075);
  const negative = n < 0 || Object.is(n, -0);
  return power >= 0n
    ? { negative, numerator: mantissa << power, shift: 0n }
    : { negative, numerator: mantissa, shift: -power };
}
