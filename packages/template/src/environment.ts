import type { FilterDefinition, TestDefinition } from './builtins/definition.ts';
import type { RunSettings } from './evaluation/run.ts';
import type { WhitespaceOptions } from './syntax/lexer.ts';
import type { ValueForm } from './values/native.ts';

/** What is fixed when a template is compiled. */
export interface Environment extends RunSettings {
  readonly whitespace: WhitespaceOptions;
  readonly values: ValueForm;
  /** Unknown filters and tests are listed in `unknownNames` wherever they stand, and fail when they are reached. */
  readonly collectsUnknownNames: boolean;
  readonly filters: ReadonlyMap<string, FilterDefinition>;
  readonly tests: ReadonlyMap<string, TestDefinition>;
}
