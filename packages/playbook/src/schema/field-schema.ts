import type { Field, KindSchema } from '../kinds/kind-schema.ts';
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

/** Of some groups exactly one field is given, and some fields go together. */
export function groupSchemas({ exactlyOne, together }: Pick<KindSchema, 'exactlyOne' | 'together'>): Schema {
  return {
    ...(exactlyOne.length === 0
      ? {}
      : { allOf: exactlyOne.map((group) => ({ oneOf: group.map((name) => ({ required: [name] })) })) }),
    ...(together.length === 0
      ? {}
      : { dependencies: Object.fromEntries(together.flatMap(([a, b]) => [[a, [b]] as const, [b, [a]] as const])) }),
  };
}
