/** What one template may use. Each limit ends in NOETL_TEMPLATE_LIMIT, never in a hang or a crash. */
export interface Limits {
  /** Characters of source. */
  readonly source: number;
  /** Levels of nesting in the source, of macro calls and of printed data. */
  readonly nesting: number;
  /** Characters of one text that the template makes, its output included. */
  readonly text: number;
  /** Characters and list items (8 each) made during one evaluation. */
  readonly allocation: number;
  /** Loop turns, calls and items handled during one evaluation. */
  readonly steps: number;
  /** Items of one range. */
  readonly range: number;
  /** Milliseconds; measured only when a clock is passed to the evaluation. */
  readonly milliseconds: number;
}

export const DEFAULT_LIMITS: Limits = {
  source: 65_536,
  nesting: 200,
  text: 1_048_576,
  allocation: 33_554_432,
  steps: 3_000_000,
  range: 1_000_000,
  milliseconds: 250,
};
