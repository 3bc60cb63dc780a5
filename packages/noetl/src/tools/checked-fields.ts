import { type Field, type Json, type JsonMap, KIND_SCHEMAS } from '@noetl/playbook';
import { failed } from './answer.ts';
import type { ToolAnswer, ToolCall } from './define-tool.ts';

export type CheckedFields = { readonly input: JsonMap } | { readonly answer: ToolAnswer };

/**
 * The rendered fields as the schema of the kind promises them: only now is known what templates gave (DOC-11). Numbers
 * and booleans are welcome where text is expected.
 */
export function checkedFields({ task, input }: ToolCall): CheckedFields {
  const fields = KIND_SCHEMAS[task.kind]?.fields ?? {};
  const checked: Record<string, Json> = { ...input };
  for (const [name, field] of Object.entries(fields)) {
    const value = input[name];
    if (value === undefined || (value === null && field.required !== true)) continue;
    const reading = readField(field, value);
    if ('expected' in reading) return { answer: unfit(task.label, name, value, reading.expected) };
    checked[name] = reading.value;
  }
  const { args } = input;
  if (args !== undefined && !isMap(args)) return { answer: unfit(task.label, 'args', args, 'a mapping') };
  return { input: checked };
}

export function unfit(label: string, field: string, found: Json, expected: string): ToolAnswer {
  const message = `'${field}' of the task '${label}' is ${shown(found)}, expected ${expected}.`;
  return failed('task.field', message, { details: { field } });
}

type FieldReading = { readonly value: Json } | { readonly expected: string };

function readField(field: Field, value: Json): FieldReading {
  if (field.values !== undefined) {
    return typeof value === 'string' && field.values.includes(value)
      ? { value }
      : { expected: `one of ${field.values.join(', ')}` };
  }
  switch (field.type) {
    case 'text':
      return isScalar(value) ? { value: String(value) } : { expected: 'text' };
    case 'integer':
      return Number.isInteger(value) ? { value } : { expected: 'an integer' };
    case 'number':
      return typeof value === 'number' ? { value } : { expected: 'a number' };
    case 'boolean':
      return typeof value === 'boolean' ? { value } : { expected: 'true or false' };
    case 'map':
      return isMap(value) ? { value } : { expected: 'a mapping' };
    case 'list':
      return Array.isArray(value) ? { value } : { expected: 'a list' };
    case 'text-list':
      return isTextList(value) ? { value: [value].flat() } : { expected: 'a list of texts' };
    case 'any':
      return { value };
  }
}

const isScalar = (value: Json): value is string | number | boolean => value !== null && typeof value !== 'object';
const isTextList = (value: Json): boolean => (Array.isArray(value) ? value.every(isScalar) : isScalar(value));

export const isMap = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value as one text: an argument, a variable, a header. */
export const textOf = (value: Json): string =>
  typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);

const SHOWN = 80;

/** Never the text itself: it may hold a secret. */
function shown(value: Json): string {
  if (typeof value === 'string') return `a text of ${value.length} characters`;
  if (Array.isArray(value)) return 'a list';
  return isMap(value) ? 'a mapping' : String(value).slice(0, SHOWN);
}
