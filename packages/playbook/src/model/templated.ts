import type { Template } from '@noetl/template';
import type { Segment } from '../yaml/node.ts';
import type { Json } from './json.ts';

/** Where something stands in the playbook's file, from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Data of a playbook in which text may be a template. What holds no template is one literal, however deep. */
export type Templated = LiteralData | TemplateData | ListData | MapData;

export interface LiteralData {
  readonly kind: 'literal';
  readonly value: Json;
}

export interface TemplateData {
  readonly kind: 'template';
  readonly template: Template;
  readonly place: Place;
  /** Where the characters of its source stand in the file. */
  readonly segments: readonly Segment[];
  /** The place in the file of a character of its source. */
  placeAt(offset: number): Place;
}

interface ListData {
  readonly kind: 'list';
  readonly items: readonly Templated[];
}

export interface MapData {
  readonly kind: 'map';
  readonly entries: readonly (readonly [key: string, value: Templated])[];
}

/** The templates inside, in the order of the file. */
export function templatesOf(data: Templated): readonly TemplateData[] {
  switch (data.kind) {
    case 'literal':
      return NO_TEMPLATES;
    case 'template':
      return [data];
    case 'list':
      return data.items.flatMap(templatesOf);
    case 'map':
      return data.entries.flatMap(([, value]) => templatesOf(value));
  }
}

const NO_TEMPLATES: readonly TemplateData[] = [];

/** The data as it was written, templates as their source. */
export function sourceOf(data: Templated): Json {
  switch (data.kind) {
    case 'literal':
      return data.value;
    case 'template':
      return data.template.source;
    case 'list':
      return data.items.map(sourceOf);
    case 'map':
      return Object.fromEntries(data.entries.map(([key, value]) => [key, sourceOf(value)]));
  }
}
