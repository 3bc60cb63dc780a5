import { isTagged, TAG } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import { grouped, things } from './quantity.ts';
import { abridged, visible } from './visible.ts';

/** A value on one line; what is kept elsewhere is described. */
export function shortJson(value: Json | undefined, limit = 100): string {
  if (value === undefined) return '';
  return isTagged(value) ? taggedText(value) : visible(abridged(JSON.stringify(value), limit));
}

/** `reference to 100,000 bytes (string)` */
export function taggedText(value: Extract<Json, object>): string {
  const about = value as { readonly [key: string]: Json };
  if (about[TAG] === 'manifest') return `manifest of ${things(Number(about.total), 'result')}`;
  return `reference to ${grouped(Number(about.size))} bytes (${visible(String(about.schema_hint))})`;
}
