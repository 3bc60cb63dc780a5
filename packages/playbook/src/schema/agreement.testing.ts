import { Ajv } from 'ajv';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Json } from '../model/json.ts';
import { readPlaybook } from '../read-playbook.ts';
import { readYaml } from '../yaml/read-yaml.ts';
import { plainJson } from './plain-json.ts';
import { playbookSchema } from './playbook-schema.ts';

/**
 * Strict but for `strictRequired`, which forbids to require a key away from where it is described; conditions do. The two
 * keywords that no draft knows are for editors.
 */
const ajv = new Ajv({
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  allErrors: true,
  keywords: ['enumDescriptions', 'patternErrorMessage'],
});
const validate = ajv.compile(playbookSchema());

/** What the schema has against a document; empty if nothing. */
export function schemaErrors(document: Json): readonly string[] {
  if (validate(document)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}

/** Whether the schema is valid by the schema of schemas. */
export const isSchema = (): boolean => ajv.validateSchema(playbookSchema()) === true;

/** The codes of what the reader has against a document; empty if nothing but warnings. */
export const readerErrors = (text: string): readonly DiagnosticCode[] =>
  readPlaybook(text, { file: 'test.yaml' }).diagnostics.flatMap(({ severity, code }) =>
    severity === 'error' ? [code] : [],
  );

/** Calls of tasks that the workbook does not have: what needs two places of a document is for the reader alone. */
export const unknownCalls = (text: string): number =>
  readPlaybook(text, { file: 'test.yaml' }).diagnostics.filter(({ message }) =>
    message.includes('which the workbook does not have'),
  ).length;

/** The document as data. */
export function parsed(text: string): Json {
  const read = readYaml(text);
  if ('error' in read) throw new Error(`the document is no YAML: ${read.error.message}`);
  return plainJson(read.node);
}

/** A playbook with more at its root. */
export const root = (more: string): string =>
  `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: test }\nworkflow: [{ step: start }]\n${more}\n`;

/** A playbook whose only step has these keys, in flow style, beside its name. */
export const step = (keys: string): string =>
  `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: test }\nworkflow:\n  - { step: start, ${keys} }\n`;

export const task = (keys: string): string => step(`tool: { ${keys} }`);
export const rule = (keys: string): string => task(`kind: noop, spec: { policy: { rules: [{ ${keys} }] } }`);
export const directive = (keys: string): string => rule(`else: { then: { ${keys} } }`);
/** The same inside of a loop. */
export const loopDirective = (keys: string): string =>
  step(
    `loop: { in: [1], iterator: item }, tool: { kind: noop, spec: { policy: { rules: [{ else: { then: { ${keys} } } }] } } }`,
  );
