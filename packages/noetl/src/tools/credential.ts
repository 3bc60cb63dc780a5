import type { Json } from '@noetl/playbook';
import { didYouMean } from '@noetl/template';
import { failed } from './answer.ts';
import { isMap } from './checked-fields.ts';
import type { ToolAnswer, ToolCall } from './define-tool.ts';

export type FoundCredential = { readonly credential: Json | undefined } | { readonly answer: ToolAnswer };

/** What `auth` stands for: the entry of the keychain that it names, or a mapping that spells it out. */
export function credentialOf({ input: { auth }, scope, task }: ToolCall): FoundCredential {
  if (auth === undefined || auth === null) return { credential: undefined };
  if (isMap(auth)) return { credential: auth };
  const keychain = scope.get('keychain');
  const entries = isMap(keychain) ? keychain : {};
  if (typeof auth === 'string' && Object.hasOwn(entries, auth)) return { credential: entries[auth] };
  // `{{ keychain.api }}` instead of `api`.
  if (Object.values(entries).includes(auth)) return { credential: auth };
  const near = typeof auth === 'string' ? didYouMean(auth, Object.keys(entries)) : undefined;
  // What a template gave may be a secret that was put there by mistake, unless it looks like a name.
  const name = task.auth?.kind === 'literal' || near !== undefined ? `'${auth}'` : 'that its template gives';
  const message = `the task '${task.label}' asks for the credential ${name}, which the keychain does not have.`;
  return { answer: failed('auth', near === undefined ? message : `${message} ${near}`) };
}
