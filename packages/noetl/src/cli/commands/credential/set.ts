import { timestampOf } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import { CREDENTIAL_NAME } from '../../../api/credential-name.ts';
import { checkedCredential, STORED_KINDS, type StoredKind } from '../../../secrets/stored-kinds.ts';
import { noteCommand } from '../../audit-notes.ts';
import { changing } from '../../changing.ts';
import { CommandFailure } from '../../command-failure.ts';
import { credentialStoreOf } from '../../credential-store.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import type { Terminal } from '../../terminal.ts';

export interface CredentialSetOptions {
  readonly name: string;
  readonly kind: string;
  readonly data: string | undefined;
  readonly json: boolean;
}

/** No credential is longer; a file that was given by mistake may be. */
const LONGEST = 64 * 1024;

/** Keeps a credential, sealed. Its value comes from standard input, or is asked for: never from the command line. */
export async function credentialSet(
  options: CredentialSetOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> {
  const { name, data, json } = options;
  if (!CREDENTIAL_NAME.test(name)) {
    const expected = 'letters, digits, _ . and - are expected, at most 128, a letter or _ first';
    throw new CommandFailure(EXIT.usage, `error: '${name}' is no name of a credential: ${expected}.`);
  }
  const kind = STORED_KINDS[options.kind] as StoredKind;
  const checked = checkedCredential(
    kind,
    terminal.ask === undefined ? await given(terminal) : await asked(kind, name, terminal),
  );
  if ('problem' in checked) {
    throw new CommandFailure(EXIT.usage, `error: the credential '${name}' (${options.kind}) ${checked.problem}`);
  }
  const now = terminal.now();
  await changing(data, machine, async (folder) => {
    const { remote } = folder;
    if (remote === undefined) {
      await credentialStoreOf(folder, machine).set(name, options.kind, checked.value, now);
      await noteCommand(`credential set ${name}`, folder, now, machine);
    } else await remote.credentials.set(name, { kind: options.kind, value: checked.value as string });
  });
  const fields = fieldsOf(checked.value);
  terminal.print(
    json
      ? `${JSON.stringify({ name, kind: options.kind, fields, set_at: timestampOf(now) })}\n`
      : `kept '${name}' (${options.kind}${fields.length === 0 ? '' : `: ${fields.join(', ')}`}).\n`,
  );
  return EXIT.ok;
}

const fieldsOf = (value: Json): readonly string[] =>
  typeof value === 'object' && value !== null ? Object.keys(value) : [];

/** A mapping in JSON; anything else is a plain text, without the end of its line. */
async function given(terminal: Terminal): Promise<Json> {
  const bytes = await terminal.readBytes('-', LONGEST);
  if (bytes.length > LONGEST) {
    throw new CommandFailure(
      EXIT.usage,
      `error: standard input has more than ${LONGEST} bytes; that is no credential.`,
    );
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch {
    throw new CommandFailure(EXIT.usage, 'error: standard input is no text in UTF-8.');
  }
  if (!text.trimStart().startsWith('{')) return text;
  try {
    return JSON.parse(text);
  } catch {
    // What the parser says might quote the value.
    throw new CommandFailure(
      EXIT.usage,
      'error: standard input begins like a JSON mapping, and is none. Nothing was kept.',
    );
  }
}

/** Field by field; what says where and who is shown while it is typed. */
async function asked(kind: StoredKind, name: string, { ask }: Terminal): Promise<Json> {
  const question = async (text: string, hidden: boolean): Promise<string> => {
    const answer = await ask?.(text, { hidden });
    if (answer === undefined) throw new CommandFailure(EXIT.failed, 'Nothing was kept.');
    return answer;
  };
  if (kind.fields === undefined) return question(`${name}: `, true);
  const value: Record<string, Json> = {};
  for (const [field, { required = false, fallback, description }] of Object.entries(kind.fields)) {
    if (field === 'dsn' && value.host !== undefined) continue;
    const note = required ? '' : fallback === undefined ? ' (may be empty)' : ` (${fallback} if empty)`;
    const answer = await question(`${field}${note} - ${description} `, SECRET.has(field));
    if (answer !== '') value[field] = answer;
  }
  return value;
}

const SECRET: ReadonlySet<string> = new Set(['token', 'password', 'api_key', 'client_secret', 'dsn']);
