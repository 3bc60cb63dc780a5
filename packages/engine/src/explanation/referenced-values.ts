import type { Json } from '@noetl/playbook';
import { isTagged, type Tagged, tagKey } from '../result-reference.ts';
import type { KnownValues } from '../scope/known-values.ts';

/** Values behind references, as far as they are known; and the references that were met and are not. */
export interface ReferencedValues {
  /** The value itself, or the reference that stands for it. */
  of(value: Json | undefined): Json | undefined;
  readonly wanted: ReadonlyMap<string, Tagged>;
}

export function referencedValues(known: KnownValues): ReferencedValues {
  const wanted = new Map<string, Tagged>();
  return {
    wanted,
    of(value) {
      if (!isTagged(value)) return value;
      const loaded = known.get(tagKey(value));
      if (loaded === undefined) wanted.set(tagKey(value), value);
      return loaded !== undefined && 'value' in loaded ? loaded.value : value;
    },
  };
}
