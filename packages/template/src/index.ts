export type { RunOptions } from './evaluation/run.ts';
export { DEFAULT_LIMITS, type Limits } from './limits.ts';
export type { CompileOptions, HostFunction } from './options.ts';
export { Scope, type ScopeData } from './scope.ts';
export type * as ast from './syntax/ast.ts';
export type { Reference } from './syntax/references.ts';
export { compile, createEngine, type Engine, type Template } from './template.ts';
export { TEMPLATE_ERROR_CODES, TemplateError, type TemplateErrorCode } from './template-error.ts';
export type { UndefinedMode } from './values/undefined.ts';
