import { failure, type OutcomeError, type Plan } from '@noetl/engine';
import type { Json, JsonMap } from '@noetl/playbook';
import type { Clock } from '../ports/clock.ts';
import type { LentSecrets } from '../ports/work-exchange.ts';
import type { OpenedCredential } from '../secrets/credential-store.ts';
import { handleKey, handleOf, namedBy } from '../secrets/handles.ts';
import { type Keychain, openKeychain } from '../secrets/keychain.ts';
import type { KeychainSources } from '../secrets/keychain-entry.ts';
import { type NamedSecrets, namedSecrets, readSecrets } from '../secrets/named-secrets.ts';
import type { OAuth2Client, OAuth2Token } from '../secrets/oauth2-token.ts';
import { type RedactingLog, redactingLog } from '../secrets/redacting-log.ts';
import { redactingPieces } from '../secrets/redacting-pieces.ts';
import { type Redactor, redactor, type Secret } from '../secrets/redactor.ts';
import { openSecretProviders } from '../secrets/secret-providers.ts';
import { secretsIn } from '../secrets/secrets-in.ts';
import { Unresolved } from '../secrets/unresolved.ts';
import type { CredentialProblem, ToolContext, ToolCredentials } from '../tools/define-tool.ts';
import type { WorkSecrets } from '../worker/work-secrets.ts';
import { httpAddresses } from './http-addresses.ts';
import type { Machine } from './machine.ts';

/** The credentials of the executions that this process drives. They are in memory only, and go with it. */
export interface ExecutionSecrets {
  /** SEC-1: resolves what the playbook declares; the answer says why it cannot be had, without a value. */
  resolve(execution: string, plan: Plan, workload: Json): Promise<OutcomeError | undefined>;
  of(execution: string): WorkSecrets;
  /** For a worker in another process: everything, renewed where that is due. It may be kept in memory only. */
  lend(execution: string): Promise<LentSecrets>;
  /** What tools may ask for. */
  tools(execution: string): ToolCredentials;
  /** The execution is over: nothing of it is needed any more. */
  forget(execution: string): void;
  /** A log without secrets. */
  log(execution: string, write: ToolContext['log']): RedactingLog;
}

export interface SecretSources {
  readonly machine: Pick<Machine, 'environment'>;
  readonly clock: Clock;
  /** An entry of the credential store; throws a KeyProblem. */
  credential(name: string): Promise<OpenedCredential | undefined>;
  /** The handles that were given out in an execution, by their keys. */
  issued(execution: string): Promise<ReadonlySet<string>>;
  /** Told of secrets too short to be found inside of other text (SEC-3). */
  warn(text: string): void;
  /** The ports that this installation itself listens on: no issuer of tokens is there. */
  readonly ownPorts?: ReadonlySet<number>;
}

/** What is known of one execution. */
interface Held {
  keychain: Keychain | undefined;
  /** What handles stand for, by their keys. */
  readonly opened: Map<string, Json>;
  /** Handles that were given out before this process drove it. */
  issued: Promise<ReadonlySet<string>> | undefined;
  secrets: readonly Secret[];
  redactor: Redactor;
}

const IDLE = redactor([]);

export function createExecutionSecrets(options: SecretSources): ExecutionSecrets {
  const { machine, clock, credential, issued, warn, ownPorts = new Set() } = options;
  const executions = new Map<string, Held>();
  const warned = new Set<string>();
  const sources: KeychainSources = {
    providers: openSecretProviders({ environment: machine.environment }),
    credential,
    token: (client) => tokenOf(client, machine, clock, ownPorts),
  };

  function holding(execution: string): Held {
    const held = executions.get(execution) ?? {
      keychain: undefined,
      opened: new Map<string, Json>(),
      issued: undefined,
      secrets: [],
      redactor: IDLE,
    };
    executions.set(execution, held);
    return held;
  }

  /** What is known of it, also after it is over: what runs on until it is stopped must not tell anything then. */
  function heldBy(execution: string): () => Held | undefined {
    let held = executions.get(execution);
    return () => {
      held ??= executions.get(execution);
      return held;
    };
  }

  /** A value that became known is a secret from this moment on. */
  function know(held: Held, more: readonly Secret[] = []): void {
    held.secrets = [...held.secrets, ...more];
    held.redactor = redactor([...(held.keychain?.secrets() ?? []), ...held.secrets]);
    const short = held.redactor.short.filter((name) => !warned.has(name));
    for (const name of short) warned.add(name);
    if (short.length > 0) {
      warn(`warning: ${short.join(', ')}: under 6 characters, so hidden only where it is a whole value\n`);
    }
  }

  async function renew(held: Held, now: number): Promise<void> {
    await held.keychain?.refresh(now);
    know(held);
  }

  async function read(held: Held, named: NamedSecrets): Promise<Json> {
    const key = handleKey(named);
    const known = held.opened.get(key);
    if (known !== undefined) return known;
    const value = await readSecrets(named, sources.providers);
    held.opened.set(key, value);
    know(held, secretsIn(named.key ?? named.provider, value));
    return value;
  }

  async function open(execution: string, handle: JsonMap): Promise<Json> {
    const held = holding(execution);
    const named = namedBy(handle);
    if (!held.opened.has(handleKey(named))) {
      held.issued ??= issued(execution);
      if (!(await held.issued).has(handleKey(named))) {
        throw new Unresolved('was given by no task of this execution; only those of kind secrets give handles.');
      }
    }
    return read(held, named);
  }

  return {
    async resolve(execution, { playbook }, workload) {
      if (playbook.keychain.length === 0) return undefined;
      const request = { workload: workload as JsonMap, execution_id: execution, job: {} };
      const keychain = await openKeychain(playbook.keychain, request, sources, clock.now());
      const held = holding(execution);
      held.keychain = keychain;
      know(held);
      const problems = keychain.problems();
      return problems.length === 0 ? undefined : unresolved(problems);
    },
    of(execution) {
      const current = heldBy(execution);
      const redacting = () => current()?.redactor ?? IDLE;
      return {
        get keychain() {
          return current()?.keychain?.values() ?? NOTHING;
        },
        redact: (value) => redacting().json(value),
        get redacting() {
          return redacting().idle ? undefined : () => redactingPieces(redacting);
        },
        renewal: () => {
          const held = current();
          const now = clock.now();
          return held?.keychain?.isDue(now) === true ? renew(held, now) : undefined;
        },
        unresolved: (name) => {
          const problems = current()?.keychain?.problems() ?? [];
          const problem = problems.find((one) => one.name === name);
          return problem === undefined ? undefined : unresolved([problem]);
        },
      };
    },
    async lend(execution) {
      const held = executions.get(execution);
      const now = clock.now();
      if (held?.keychain?.isDue(now) === true) await renew(held, now);
      const problems = held?.keychain?.problems() ?? [];
      return {
        keychain: held?.keychain?.values() ?? NOTHING,
        secrets: held === undefined ? [] : [...(held.keychain?.secrets() ?? []), ...held.secrets],
        problems: problems.map((problem) => ({ name: problem.name, error: unresolved([problem]) })),
      };
    },
    tools: (execution) => ({
      issue: (asked) =>
        told(async () => {
          const named = namedSecrets(asked, sources.providers.standard);
          await read(holding(execution), named);
          return { handle: handleOf(named) };
        }),
      open: (handle) => told(async () => ({ credential: await open(execution, handle) })),
      async renew(auth, refused) {
        const held = executions.get(execution);
        const name = nameOf(auth, refused, held?.keychain?.values() ?? NOTHING);
        if (held === undefined || name === undefined) return undefined;
        const renewed = await held.keychain?.renew(name, refused, clock.now());
        know(held);
        return renewed;
      },
    }),
    forget: (execution) => {
      executions.delete(execution);
    },
    log(execution, write) {
      const current = heldBy(execution);
      return redactingLog(() => current()?.redactor ?? IDLE, write);
    },
  };
}

const NOTHING: JsonMap = {};

const unresolved = (problems: ReturnType<Keychain['problems']>): OutcomeError =>
  failure('secret.unresolved', problems.map(({ message }) => message).join('; '), {
    names: problems.map(({ name }) => name),
  });

/** The entry that `auth` names; where a template gave its value, the one that has it. */
function nameOf(auth: Json, used: Json, values: JsonMap): string | undefined {
  if (typeof auth === 'string' && Object.hasOwn(values, auth)) return auth;
  const text = JSON.stringify(used);
  return Object.keys(values).find((name) => JSON.stringify(values[name]) === text);
}

async function told<T>(action: () => Promise<T>): Promise<T | CredentialProblem> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof Unresolved)) throw error;
    return { problem: error.message, passing: error.passing };
  }
}

/** Seconds for a connection. */
const CONNECT_TIMEOUT = 10;

/** The address of the issuer is the playbook's to name: it may be none that tasks may not connect to. */
async function tokenOf(
  client: OAuth2Client,
  machine: SecretSources['machine'],
  clock: Clock,
  ownPorts: ReadonlySet<number>,
): Promise<OAuth2Token> {
  const [{ fetchToken }, { guardedAgent }] = await Promise.all([
    import('../secrets/oauth2-token.ts'),
    import('../tools/http/guarded-agent.ts'),
  ]);
  const agent = guardedAgent({ rules: httpAddresses(machine), ownPorts }, CONNECT_TIMEOUT);
  try {
    return await fetchToken(client, clock.now, agent);
  } finally {
    await agent.close();
  }
}
