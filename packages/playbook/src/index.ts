export { DIAGNOSTIC_CODES, type DiagnosticCode } from './diagnostics/codes.ts';
export type { Diagnostic, Severity } from './diagnostics/diagnostic.ts';
export { formatGithub, formatPretty } from './diagnostics/format.ts';
export { playbookToDot } from './graph/dot.ts';
export { playbookToMermaid } from './graph/mermaid.ts';
export type { ArcMark, Overlay, StepMark } from './graph/overlay.ts';
export { KEYCHAIN_SCHEMAS } from './kinds/keychain-kinds.ts';
export type { Field, FieldType, KindSchema } from './kinds/kind-schema.ts';
export { KIND_SCHEMAS } from './kinds/kinds.ts';
export { type MigrateOptions, migratePlaybook } from './migrate/migrate-playbook.ts';
export type { DialectFound, Evidence, Migration, Note, Origin, Origins } from './migrate/migration.ts';
export type { Original } from './migrate/translated-lines.ts';
export { canonicalDocument } from './model/canonical-document.ts';
export { effectiveSpec } from './model/effective-spec.ts';
export type { Json, JsonMap } from './model/json.ts';
export type {
  AdmissionRule,
  Arc,
  CodePlace,
  Condition,
  Executor,
  KeychainEntry,
  Layer,
  Loop,
  Metadata,
  Playbook,
  Policy,
  Router,
  Rule,
  SharedWrite,
  Step,
  Task,
  Then,
} from './model/playbook.ts';
export { chosenStore } from './model/store-choice.ts';
export { type Place, sourceOf, type TemplateData, type Templated, templatesOf } from './model/templated.ts';
export { type PlaybookReading, type ReadOptions, readPlaybook } from './read-playbook.ts';
export { playbookSchema } from './schema/playbook-schema.ts';
