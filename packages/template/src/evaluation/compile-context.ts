import type { Environment } from '../environment.ts';
import type { TemplateError } from '../template-error.ts';

/** What compiling a node needs to know of the whole template. */
export interface CompileContext {
  readonly environment: Environment;
  readonly source: string;
  /** Names the template assigns somewhere: only these are looked for in frames. */
  readonly assigned: ReadonlySet<string>;
  /** Filters and tests that do not exist, met where they may never be reached. */
  readonly unknownNames: TemplateError[];
  /** Inside a branch that may not be taken: there an unknown filter or test fails only when it is reached. */
  readonly inBranch: boolean;
  /** An expression as the author wrote it. */
  textOf(node: { readonly at: number; readonly end: number }): string;
}
