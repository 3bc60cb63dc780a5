import { createEngine, type Template, TemplateError } from '@noetl/template';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Problems } from '../diagnostics/problems.ts';
import type { Json } from '../model/json.ts';
import type { Place, TemplateData, Templated } from '../model/templated.ts';
import {
  type MapEntry,
  type MapNode,
  offsetInFile,
  type ScalarNode,
  type Segment,
  type Span,
  type YamlNode,
} from '../yaml/node.ts';
import { type Doubts, noDoubts } from './doubts.ts';

/** TPL-4: a value that is undefined is an error everywhere but in `when`, where it is false. */
const dataEngine = createEngine({ undefined: 'checked', values: 'json', collectUnknownNames: true });
const conditionEngine = createEngine({ undefined: 'chainable', collectUnknownNames: true });

export const hasTemplate = (text: string): boolean => text.includes('{{') || text.includes('{%') || text.includes('{#');

/** Text whose value is known only when the playbook runs. */
export const isTemplateText = (node: YamlNode): boolean =>
  node.kind === 'scalar' && typeof node.value === 'string' && hasTemplate(node.value);

/** Whether a key that does not belong here holds more than a scalar: a part that stays unread. */
export const hasUnread = (map: MapNode, allowed: readonly string[]): boolean =>
  map.entries.some(({ key, value }) => value.kind !== 'scalar' && !allowed.includes(key));

/** What to do where a value must be known when the playbook is registered. */
export const WRITE_OUT = 'This value is fixed when the playbook is registered; write it out.';

const WRITE_TEXT = 'Write a word, or text in quotes.';

const MEND_TEMPLATE =
  'A template is {{ expression }} or {% statement %}; write braces that are meant as text as {{ "{{" }}.';

/** What an older or misplaced key should have been. */
export type Replacements = Readonly<Record<string, { readonly code: DiagnosticCode; readonly hint: string }>>;

/** Reads parts of a document and reports what is wrong with them. */
export class Reading {
  readonly problems: Problems;
  readonly doubts: Doubts = noDoubts();
  /** Credentials that tasks name literally, with where. */
  readonly credentials: { readonly name: string; readonly span: Span }[] = [];

  constructor(problems: Problems) {
    this.problems = problems;
  }

  place(span: Span): Place {
    return this.problems.lines.place(span.start);
  }

  /** What is known of a template of the file. */
  templateData(template: Template, place: Place, segments: readonly Segment[]): TemplateData {
    const placeAt = (offset: number): Place => this.problems.lines.place(offsetInFile(segments, offset));
    return { kind: 'template', template, place, segments, placeAt };
  }

  /** What `read` gives, and whether nothing was wrong with it. */
  judged<Part>(read: () => Part): { readonly part: Part; readonly sound: boolean } {
    const before = this.problems.errorCount;
    const part = read();
    return { part, sound: this.problems.errorCount === before };
  }

  /** The mapping, or undefined after a report. */
  map(node: YamlNode, what: string, hint = 'Write key: value, one a line.'): MapNode | undefined {
    if (node.kind === 'map') return node;
    this.wrongType(node, what, 'a mapping', hint);
    return undefined;
  }

  list(
    node: YamlNode,
    what: string,
    hint = 'Write one item a line, each after a dash.',
  ): readonly YamlNode[] | undefined {
    if (node.kind === 'list') return node.items;
    this.wrongType(node, what, 'a list', hint);
    return undefined;
  }

  /** Non-empty text. */
  text(node: YamlNode, what: string): string | undefined {
    if (node.kind === 'scalar' && typeof node.value === 'string' && node.value !== '') return node.value;
    // A version of 1.0 or a name of 2024 is meant as text by everyone but YAML.
    if (node.kind === 'scalar' && typeof node.value === 'number')
      return this.problems.lines.source.slice(node.span.start, node.span.end);
    this.wrongType(node, what, 'text', WRITE_TEXT);
    return undefined;
  }

  /** One of some words; `hint` tells what to do where none of them is near. */
  oneOf<Value extends string>(
    node: YamlNode,
    what: string,
    values: readonly Value[],
    hint?: string,
  ): Value | undefined {
    const found = node.kind === 'scalar' ? node.value : undefined;
    const value = values.find((candidate) => candidate === found);
    if (value !== undefined) return value;
    const near = typeof found === 'string' ? this.problems.suggest(found, values) : undefined;
    const message = `${what} is ${describe(node)}, expected ${orList(values)}`;
    this.problems.error(
      'NOETL_VALUE',
      node.span,
      message,
      near ?? hint ?? `Write ${orList(values).replaceAll("'", '')}.`,
    );
    return undefined;
  }

  /** A number of at least `least`; an integer if asked. */
  number(node: YamlNode, what: string, least: number, integer: boolean): number | undefined {
    const value = node.kind === 'scalar' ? node.value : undefined;
    if (typeof value === 'number' && value >= least && (!integer || Number.isInteger(value))) return value;
    const expected = `${integer ? 'an integer' : 'a number'} of at least ${least}`;
    const hint = isTemplateText(node) ? WRITE_OUT : `For example: ${Math.max(least, 1)}.`;
    this.problems.error('NOETL_VALUE', node.span, `${what} is ${describe(node)}, expected ${expected}`, hint);
    return undefined;
  }

  wrongType(node: YamlNode, what: string, expected: string, hint: string): void {
    this.problems.error('NOETL_TYPE', node.span, `${what} is ${describe(node)}, expected ${expected}`, hint);
  }

  /** Reports keys that do not belong here. */
  keys(map: MapNode, what: string, allowed: readonly string[], replaced: Replacements = {}): void {
    for (const { key, keySpan } of map.entries) {
      if (allowed.includes(key)) continue;
      const replacement = Object.hasOwn(replaced, key) ? replaced[key] : undefined;
      if (replacement !== undefined) {
        this.problems.error(replacement.code, keySpan, `${what} has the key '${key}'`, replacement.hint);
      } else if (key === 'do') {
        this.problems.error(
          'NOETL_DIRECTIVE_MISPLACED',
          keySpan,
          `${what} has the key 'do'`,
          'Directives belong into the rules of a task: spec.policy.rules[].then.do.',
        );
      } else {
        const known = allowed.length === 0 ? 'Nothing may stand here yet.' : `Known here: ${allowed.join(', ')}.`;
        const hint = this.problems.suggest(key, allowed) ?? known;
        this.problems.error('NOETL_KEY_UNKNOWN', keySpan, `${what} has the unknown key '${key}'`, hint);
      }
    }
  }

  required(map: MapNode, key: string, what: string, hint: string): MapEntry | undefined {
    const entry = map.entries.find((candidate) => candidate.key === key);
    if (entry === undefined) {
      const { start } = map.span;
      this.problems.error('NOETL_REQUIRED', { start, end: start + 1 }, `${what} has no '${key}'`, hint);
    }
    return entry;
  }

  /** Plain JSON: a template here is an error, because the value is fixed when the playbook is registered. */
  fixed(node: YamlNode, what: string): Json {
    switch (node.kind) {
      case 'scalar':
        if (typeof node.value === 'string' && hasTemplate(node.value)) {
          this.problems.error('NOETL_VALUE', node.span, `${what} holds a template`, WRITE_OUT);
        }
        return node.value;
      case 'list':
        return node.items.map((item) => this.fixed(item, what));
      case 'map':
        return Object.fromEntries(node.entries.map(({ key, value }) => [key, this.fixed(value, `${what}.${key}`)]));
    }
  }

  /** Data in which text may be a template, compiled. */
  templated(node: YamlNode): Templated {
    switch (node.kind) {
      case 'scalar':
        return typeof node.value === 'string' && hasTemplate(node.value)
          ? this.template(node, node.value)
          : { kind: 'literal', value: node.value };
      case 'list': {
        const items = node.items.map((item) => this.templated(item));
        const literals = items.flatMap((item) => (item.kind === 'literal' ? [item.value] : []));
        return literals.length === items.length ? { kind: 'literal', value: literals } : { kind: 'list', items };
      }
      case 'map': {
        for (const { key, keySpan } of node.entries) if (hasTemplate(key)) this.templatedKey(key, keySpan);
        const entries = node.entries.map(({ key, value }) => [key, this.templated(value)] as const);
        const literals = entries.flatMap(([key, value]) =>
          value.kind === 'literal' ? [[key, value.value] as const] : [],
        );
        return literals.length === entries.length
          ? { kind: 'literal', value: Object.fromEntries(literals) }
          : { kind: 'map', entries };
      }
    }
  }

  /** TPL-1 renders values; a key is what is written. */
  private templatedKey(key: string, span: Span): void {
    const shown = key.length > 40 ? `${key.slice(0, 40)}…` : key;
    this.problems.warn(
      'NOETL_KEY_TEMPLATE',
      span,
      `the key '${shown}' holds a template, which is not rendered`,
      'Choose a fixed key, or make the whole mapping by one template: "{{ { name: value } }}".',
    );
  }

  /** Text as it is written, never a template. */
  verbatim(node: YamlNode): Templated {
    return node.kind === 'scalar' ? { kind: 'literal', value: node.value } : this.templated(node);
  }

  private template(node: ScalarNode, text: string): Templated {
    const template = this.compile(dataEngine, node, text);
    return template === undefined
      ? { kind: 'literal', value: text }
      : this.templateData(template, this.place(node.span), node.segments);
  }

  /** A template that stands alone, for a condition. */
  conditionTemplate(node: ScalarNode, text: string) {
    return this.compile(conditionEngine, node, text);
  }

  private compile(engine: typeof dataEngine, node: ScalarNode, text: string) {
    try {
      const template = engine.compile(text);
      for (const error of template.unknownNames) this.templateError(node, error);
      return template;
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      this.templateError(node, error);
      return undefined;
    }
  }

  private templateError(node: ScalarNode, error: TemplateError): void {
    const start = offsetInFile(node.segments, error.offset);
    this.problems.error(
      error.code,
      { start, end: start + 1 },
      error.problem.replace(/\.$/, ''),
      error.hint ?? MEND_TEMPLATE,
    );
  }
}

/** A value as an error message shows it. */
export function describe(node: YamlNode): string {
  if (node.kind === 'list') return 'a list';
  if (node.kind === 'map') return 'a mapping';
  const { value } = node;
  if (value === null) return 'empty';
  if (typeof value === 'string') return value.length > 40 ? `'${value.slice(0, 40)}…'` : `'${value}'`;
  return `${value}`;
}

export function orList(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}
