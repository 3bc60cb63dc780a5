import type { Condition, Json, JsonMap } from '@noetl/playbook';
import type { Reference } from '@noetl/template';
import { abridged } from '../abridge.ts';
import { isTagged, storedKey } from '../result-reference.ts';
import { pathText, readsOf } from '../scope/reads.ts';
import { holderOf, type ScopeParts, templateScope } from '../scope/template-scope.ts';
import type { Asked } from './explanation.ts';
import type { ReferencedValues } from './referenced-values.ts';

/** What a condition read (TPL-7), taken from what the log knew then. A reference whose value is not known is told as one. */
export function conditionReads(
  condition: Condition,
  parts: ScopeParts,
  values: ReferencedValues,
): Pick<Asked, 'reads' | 'undefined'> {
  const reads = new Map<string, Json>();
  const missing = new Set<string>();
  for (const reference of readsOf(condition)) {
    const path = pathText(reference.name, reference.path);
    const value = valueAt(reference, parts, values);
    if (value === undefined) missing.add(path);
    else reads.set(path, isTagged(value) ? value : abridged(value));
  }
  return described(Object.fromEntries(reads), [...missing]);
}

/** What the event recorded; what is not in there was undefined. */
export function recordedReads(condition: Condition | undefined, recorded: JsonMap): Pick<Asked, 'reads' | 'undefined'> {
  const paths = condition === undefined ? [] : readsOf(condition).map(({ name, path }) => pathText(name, path));
  return described(
    recorded,
    paths.filter((path) => !Object.hasOwn(recorded, path)),
  );
}

const described = (reads: JsonMap, missing: readonly string[]): Pick<Asked, 'reads' | 'undefined'> => ({
  ...(Object.keys(reads).length === 0 ? {} : { reads }),
  ...(missing.length === 0 ? {} : { undefined: [...new Set(missing)] }),
});

/** SEC-3: the log has no secret, and who explains it has none either. */
const SECRET = '[secret]';

function valueAt({ name, path }: Reference, parts: ScopeParts, values: ReferencedValues): Json | undefined {
  if (name === 'keychain') return SECRET;
  const known = {
    ...parts,
    args: values.of(parts.args) as JsonMap,
    workload: values.of(parts.workload) as JsonMap,
  };
  // A bare name may be in one that is kept elsewhere.
  if (holderOf(known, name) === undefined) return [known.args, known.workload].find(isTagged);
  let value = values.of(templateScope(known).get(name) as Json | undefined);
  for (const key of path) {
    if (isTagged(value)) return value;
    value = values.of(inside(value, key));
  }
  return value;
}

function inside(value: Json | undefined, key: string | number): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return typeof key === 'number' ? value.at(key) : undefined;
  const stored = typeof key === 'string' ? storedKey(key) : key;
  return Object.hasOwn(value, stored) ? (value as JsonMap)[stored] : undefined;
}
