import type { Field, FieldGroups } from '../kinds/kind-schema.ts';
import { orTemplate, type Schema } from './building-blocks.ts';

/** What a field of a tool kind or a keychain kind may hold, as the reader checks it. */
function fieldSchema(field: Field): Schema {
  const more = {
    description: field.description,
    ...(field.fallback === undefined ? {} : { default: field.fallback }),
  };
  if (field.values !== undefined) return orTemplate({ enum: field.values }, more);
  switch (field.type) {
    case 'text':
      return { ...more, type: ['string', 'number'] };
    case 'text-list':
      return { ...more, type: ['array', 'string'], items: { type: ['string', 'number'] } };
    case 'map':
      return orTemplate({ type: 'object' }, more);
    case 'list':
      return orTemplate({ type: 'array' }, more);
    case 'integer':
    case 'number':
    case 'boolean':
      return orTemplate({ type: field.type }, more);
    case 'any':
      return more;
  }
}

export const fieldSchemas = (fields: Readonly<Record<string, Field>>): Readonly<Record<string, Schema>> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)]));

export const requiredFields = (fields: Readonly<Record<string, Field>>): readonly string[] =>
  Object.keys(fields).filter((name) => fields[name]?.required === true);

/** What the fields of a kind have to do with each other. */
export function groupSchemas({ exactlyOne = [], atMostOne = [], together = [], needs = [] }: FieldGroups = {}): Schema {
  const rules: Schema[] = [
    ...exactlyOne.map((group) => ({ oneOf: group.map((name) => ({ required: [name] })) })),
    ...atMostOne.flatMap((group) =>
      group.flatMap((a, i) => group.slice(i + 1).map((b) => ({ not: { required: [a, b] } }))),
    ),
    ...needs.map(({ field, is, needs: needed }) => ({
      if: { required: [field], properties: { [field]: { const: is } } },
      then: { required: [needed] },
    })),
  ];
  return {
    ...(rules.length === 0 ? {} : { allOf: rules }),
    ...(together.length === 0
      ? {}
      : { dependencies: Object.fromEntries(together.flatMap(([a, b]) => [[a, [b]] as const, [b, [a]] as const])) }),
  };
}
