import type { Json, JsonMap } from '../model/json.ts';

/** A JSON Schema, or a part of one. */
export type Schema = JsonMap;

/** A part that is defined once. Nothing stands beside a `$ref`, because draft-07 ignores it there. */
export const ref = (definition: string): Schema => ({ $ref: `#/definitions/${definition}` });

/** A mapping with these keys and no other; it compiles only if each of them is described. */
export const closed = <Key extends string>(
  keys: readonly Key[],
  properties: Readonly<Record<NoInfer<Key>, Schema>>,
  more: Schema = {},
): Schema => ({
  ...more,
  type: 'object',
  properties: Object.fromEntries(keys.map((key) => [key, properties[key]])),
  additionalProperties: false,
});

/** Text that is not empty. A version of 1.0 or a name of 2024 is read as text too. */
export const text = (description: string, more: Schema = {}): Schema => ({
  description,
  type: ['string', 'number'],
  minLength: 1,
  ...more,
});

/** One of a few words, each with what it means. */
export const word = <Word extends string>(
  words: readonly Word[],
  meanings: Readonly<Record<NoInfer<Word>, string>>,
  description: string,
  more: Schema = {},
): Schema => ({ description, enum: words, enumDescriptions: words.map((each) => meanings[each]), ...more });

export const seconds = (description: string, more: Schema = {}): Schema => ({
  description,
  type: 'number',
  exclusiveMinimum: 0,
  ...more,
});

export const TEMPLATE_DEFINITION: Schema = {
  title: 'Template',
  description: 'Rendered when it is needed; a value that is one {{ }} keeps its type.',
  type: 'string',
  pattern: '\\{[{%#]',
};

/** What a literal must be. A template may stand in its place: its value is known only when it runs (DOC-11). */
export const orTemplate = (literal: Schema, more: Schema): Schema => ({
  ...more,
  anyOf: [literal, ref('template')],
});

/** What holds if `key` is there with one of `values`, and what holds otherwise. */
export const whenKey = (key: string, values: readonly Json[], then: Schema, otherwise?: Schema): Schema => ({
  if: { type: 'object', properties: { [key]: { enum: values } }, required: [key] },
  then,
  ...(otherwise === undefined ? {} : { else: otherwise }),
});

/** The mapping has none of these keys. */
export const without = (keys: readonly string[]): Schema => ({
  properties: Object.fromEntries(keys.map((key) => [key, false])),
});
