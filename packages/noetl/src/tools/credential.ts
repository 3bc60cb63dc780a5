import type { Json } from '@noetl/playbook';
import { didYouMean } from '@noetl/template';
import { failed } from './answer.ts';
import { isMap } from './checked-fields.ts';
import type { ToolAnswer, ToolCall, ToolContext } from './define-tool.ts';

export type FoundCredential = { readonly credential: Json | undefined } | { readonly answer: ToolAnswer };

/**
 * What `auth` stands for: the entry of the keychain that it names, the secrets that a handle names, or a mapping that spells
 * it out.
 */
export function credentialOf({ input: { auth }, scope, task, credential }: ToolCall): FoundCredential {
  if (credential !== undefined) return { credential };
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

/** The kind of a mapping that is a handle: the result of a task of kind `secrets`. */
const HANDLE = 'credential_handle';

/** The call with what the handle in its `auth` stands for; the same call if there is none. */
export async function withOpenedHandle(
  call: ToolCall,
  { credentials }: ToolContext,
): Promise<{ readonly call: ToolCall } | { readonly answer: ToolAnswer }> {
  const { auth } = call.input;
  if (!isMap(auth) || auth.kind !== HANDLE) return { call };
  const opened = (await credentials?.open(auth)) ?? { problem: 'is of no use here.', passing: false };
  if ('credential' in opened) return { call: { ...call, credential: opened.credential } };
  const message = `the credential handle of the task '${call.task.label}' ${opened.problem}`;
  return { answer: failed('secret.unresolved', message, { retryable: opened.passing }) };
}

/** The call with a newer token in place of one that was refused; undefined if there is none. */
export async function withRenewedCredential(
  call: ToolCall,
  { credentials }: ToolContext,
): Promise<ToolCall | undefined> {
  const found = credentialOf(call);
  if ('answer' in found || found.credential === undefined) return undefined;
  const credential = await credentials?.renew(call.input.auth ?? null, found.credential);
  return credential === undefined ? undefined : { ...call, credential };
}
