import { isTagged, tagKey, unescapeTags } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import { loadValues } from '../server/load-values.ts';
import { CommandFailure } from './command-failure.ts';
import type { DataFolder } from './data-folder.ts';
import { EXIT } from './exit-code.ts';

/** A result as users know it: references are followed, escaped keys are as they were. */
export async function loadedResult(result: Json, { store, results }: DataFolder): Promise<Json> {
  return unescapeTags(await resolved(result, { log: store.log, results }));
}

async function resolved(value: Json, sources: Parameters<typeof loadValues>[1]): Promise<Json> {
  if (isTagged(value)) {
    const loaded = (await loadValues([value], sources)).get(tagKey(value));
    if (loaded !== undefined && 'value' in loaded) return loaded.value;
    throw new CommandFailure(EXIT.failed, `error: ${loaded?.problem ?? 'the result is gone.'}`);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Promise.all(value.map((item) => resolved(item, sources)));
  const entries = await Promise.all(
    Object.entries(value).map(async ([key, item]) => [key, await resolved(item, sources)] as const),
  );
  return Object.fromEntries(entries);
}
