/** What became of a workflow, to be drawn over it. Steps and arcs that it says nothing about are drawn as ever. */
export interface Overlay {
  step(name: string): StepMark | undefined;
  /** An arc by its place in the router of the step. */
  arc(step: string, index: number): ArcMark | undefined;
}

/** A step with its outcome, and lines that tell more, which may hold any text. */
export interface StepMark {
  readonly look: 'done' | 'failed' | 'active' | 'skipped' | 'untouched';
  readonly lines: readonly string[];
}

/** An arc with its outcome, and what stands beside it, such as `2×`. */
export interface ArcMark {
  readonly look: 'taken' | 'failed' | 'untouched';
  readonly note: string | undefined;
}

/** A line and the inside of a box, in colours that can be told apart in print and by most eyes. */
export const LOOKS = {
  done: { line: '#1a7f37', fill: '#dafbe1' },
  failed: { line: '#cf222e', fill: '#ffebe9' },
  active: { line: '#0969da', fill: '#ddf4ff' },
  skipped: { line: '#9a6700', fill: '#fff8c5' },
  taken: { line: '#1a7f37', fill: '#ffffff' },
  untouched: { line: '#afb8c1', fill: '#f6f8fa' },
} as const;

/** The text of what is dimmed. */
export const DIMMED_TEXT = '#6e7781';
