import { type Kind, Special } from './special.ts';

/**
 * A float whose value is integral. JavaScript has one number type; Python prints `2.0` and `2` differently. So a
 * number is an int if it is a safe integer, any other number is a float, and this class marks the floats between.
 */
export class Float extends Special {
  readonly value: number;

  constructor(value: number) {
    super();
    this.value = value;
  }

  get kind(): Kind {
    return 'float';
  }
}

export const floatValue = (n: number): number | Float => (Number.isSafeInteger(n) ? new Float(n) : n);

export const isFloat = (value: unknown): value is number | Float =>
  typeof value === 'number' ? !Number.isSafeInteger(value) : value instanceof Float;

export const unwrapFloat = (value: number | Float): number => (typeof value === 'number' ? value : value.value);

/** Python's `repr` of a float: shortest digits that round-trip, exponent from 1e16 and below 1e-4. */
export function floatText(n: number): string {
  if (Number.isNaN(n)) return 'nan';
  if (!Number.isFinite(n)) return n > 0 ? 'inf' : '-inf';
  if (n === 0) return Object.is(n, -0) ? '-0.0' : '0.0';
  const [digits = '', exponentText = '0'] = Math.abs(n).toExponential().split('e');
  const exponent = Number(exponentText);
  const sign = n < 0 ? '-' : '';
  if (exponent < -4 || exponent >= 16) {
    const power = Math.abs(exponent).toString().padStart(2, '0');
    return `${sign}${digits}e${exponent < 0 ? '-' : '+'}${power}`;
  }
  const plain = digits.replace('.', '');
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${plain}`;
  const whole = plain.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${plain.slice(exponent + 1) || '0'}`;
}
