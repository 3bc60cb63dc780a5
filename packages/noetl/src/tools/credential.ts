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
  // A name that is no name may be a value that was put there by mistake.
  const name = typeof auth === 'string' && /^[\w-]{1,64}$/.test(auth) ? `'${auth}'` : 'something';
  const near = typeof auth === 'string' ? didYouMean(auth, Object.keys(entries)) : undefined;
  const message = `the task '${task.label}' asks for the credential ${name}, which the keychain does not have.`;
  return { answer: failed('auth', near === undefined ? message : `${message} ${near}`) };
}
