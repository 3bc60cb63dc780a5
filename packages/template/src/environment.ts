import type { FilterDefinition, TestDefinition } from './builtins/definition.ts';
import type { RunSettings } from './evaluation/run.ts';
import type { WhitespaceOptions } from './syntax/lexer.ts';
import type { ValueForm } from './values/native.ts';

/** What is fixed when a template is compiled. */
export interface Environment extends RunSettings {
  readonly whitespace: WhitespaceOptions;
  readonly values: ValueForm;
  readonly filters: ReadonlyMap<string, FilterDefinition>;
  readonly tests: ReadonlyMap<string, TestDefinition>;
}
