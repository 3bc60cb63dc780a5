import type { Json } from '@noetl/playbook';

/** TPL-8: an integer as a number where that is exact, else as its decimal text. */
export function exactInteger(text: string): Json {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}

/** A decimal as the number that has the same digits, if there is one; else as its text. Trailing zeros say nothing. */
export function exactDecimal(text: string): Json {
  const plain = /^(-?)0*(\d+)(?:\.(\d*?)0*)?$/.exec(text);
  if (plain === null) return text;
  const [, sign = '', whole = '', fraction = ''] = plain;
  if (fraction === '') return exactInteger(whole === '0' ? '0' : `${sign}${whole}`);
  const number = Number(text);
  return String(number) === `${sign}${whole}.${fraction}` ? number : text;
}

/** A value of a database that JSON has no form for. */
export class NoJsonForm extends Error {
  override name = 'NoJsonForm';
}

export function finite(number: number): number {
  if (Number.isFinite(number)) return number;
  throw new NoJsonForm(`the rows hold ${number}, which has no form in JSON. Cast it to text, or leave it out.`);
}
