import type { Field, FieldGroups } from '../kinds/kind-schema.ts';
import type { Templated } from '../model/templated.ts';
import { entryOf, type MapNode, type Span, type YamlNode } from '../yaml/node.ts';
import { isTemplateText, orList, type Reading } from './reading.ts';

/** The fields of a kind or keychain entry, checked against their schema. */
export function readFields(
  map: MapNode,
  fields: Readonly<Record<string, Field>>,
  what: string,
  named: boolean,
  reading: Reading,
  groups: FieldGroups = {},
): Readonly<Record<string, Templated>> {
  const read: Record<string, Templated> = {};
  for (const [name, field] of Object.entries(fields)) {
    const entry = named && name === 'name' ? undefined : entryOf(map, name);
    if (entry === undefined) {
      if (field.required === true)
        reading.problems.error('NOETL_TASK_FIELD', firstLine(map), `${what} has no '${name}'`, field.description);
      continue;
    }
    checkField(entry.value, field, `'${name}' of ${what}`, reading);
    read[name] = field.verbatim === true ? reading.verbatim(entry.value) : reading.templated(entry.value);
  }
  checkGroups(map, groups, what, reading);
  return read;
}

function checkGroups(map: MapNode, groups: FieldGroups, what: string, reading: Reading): void {
  const error = (message: string, hint: string) =>
    reading.problems.error('NOETL_TASK_FIELD', firstLine(map), `${what} ${message}`, hint);
  const has = (name: string) => entryOf(map, name) !== undefined;
  for (const group of groups.exactlyOne ?? []) {
    if (!group.some(has)) error(`has none of ${orList(group)}`, 'It needs exactly one of them.');
  }
  for (const group of [...(groups.exactlyOne ?? []), ...(groups.atMostOne ?? [])]) {
    const [first, second] = group.flatMap((name) => entryOf(map, name) ?? []);
    if (first !== undefined && second !== undefined) {
      const message = `${what} has both '${first.key}' and '${second.key}'`;
      reading.problems.error('NOETL_TASK_FIELD', second.keySpan, message, 'It takes one of them.');
    }
  }
  for (const [a, b] of groups.together ?? []) {
    if (has(a) !== has(b)) error(`has only one of '${a}' and '${b}'`, 'They go together.');
  }
  for (const { field, is, needs } of groups.needs ?? []) {
    const value = entryOf(map, field)?.value;
    if (value?.kind === 'scalar' && value.value === is && !has(needs)) {
      error(`has '${field}: ${is}' but no '${needs}'`, `Add ${needs}.`);
    }
  }
}

const firstLine = (map: MapNode): Span => ({ start: map.span.start, end: map.span.start + 1 });

/** Literals are checked; what a template yields is known only when it runs (DOC-11). */
function checkField(node: YamlNode, field: Field, what: string, reading: Reading): void {
  if (isTemplateText(node) && field.verbatim !== true) return;
  if (field.values !== undefined) {
    reading.oneOf(node, what, field.values, field.mistaken);
    return;
  }
  const value = node.kind === 'scalar' ? node.value : undefined;
  const wrong = (expected: string) => reading.wrongType(node, what, expected, field.mistaken ?? field.description);
  switch (field.type) {
    case 'text':
      if (typeof value !== 'string' && typeof value !== 'number') wrong('text');
      return;
    case 'integer':
      if (typeof value !== 'number' || !Number.isInteger(value)) wrong('an integer');
      return;
    case 'number':
      if (typeof value !== 'number') wrong('a number');
      return;
    case 'boolean':
      if (typeof value !== 'boolean') wrong('true or false');
      return;
    case 'map':
      if (node.kind !== 'map') wrong('a mapping');
      return;
    case 'list':
      if (node.kind !== 'list') wrong('a list');
      return;
    case 'text-list':
      if (node.kind === 'list')
        for (const item of node.items) checkField(item, { ...field, type: 'text' }, `an item of ${what}`, reading);
      else if (typeof value !== 'string') wrong('a list of texts');
      return;
    case 'any':
      return;
  }
}
