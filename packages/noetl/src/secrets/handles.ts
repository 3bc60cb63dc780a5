import type { JsonMap } from '@noetl/playbook';
import { type NamedSecrets, namedSecrets } from './named-secrets.ts';

/** What marks a mapping as a handle. */
const KIND = 'credential_handle';

/** The result of a task that asks for secrets: their names, and who keeps them. */
export const handleOf = (named: NamedSecrets): JsonMap => ({ kind: KIND, ...named });

/** What a handle names, if it is one. Throws Unresolved if it was changed into something that names nothing. */
export const namedBy = (handle: JsonMap): NamedSecrets => namedSecrets(handle, '');

/** The same for all handles of the same secrets, whatever the order of their fields. */
export const handleKey = ({ provider, key, map }: NamedSecrets): string =>
  JSON.stringify([provider, key ?? null, Object.entries(map ?? {}).toSorted()]);

export const isHandle = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === KIND;
