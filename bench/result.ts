/** One line of output; `scenario` names it, numbers are rounded to what a reader can use. */
export interface BenchResult {
  readonly scenario: string;
  readonly [measure: string]: string | number | boolean | null;
}

export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
