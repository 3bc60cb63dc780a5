import { isTagged, type Tagged } from '@noetl/engine';
import type { Json } from '@noetl/playbook';

/** What stands in a value for others that are kept elsewhere, in the order of the value. */
export function* tagsIn(value: Json | undefined): Generator<Tagged> {
  if (typeof value !== 'object' || value === null) return;
  if (isTagged(value)) yield value;
  else for (const item of Object.values(value)) yield* tagsIn(item);
}
