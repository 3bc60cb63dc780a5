import type { Clock } from '../ports/clock.ts';
import type { CredentialAsked, LentSecrets, WorkExchange } from '../ports/work-exchange.ts';
import { type RedactingLog, redactingLog } from '../secrets/redacting-log.ts';
import { redactingPieces } from '../secrets/redacting-pieces.ts';
import { type Redactor, redactor } from '../secrets/redactor.ts';
import type { ToolContext, ToolCredentials } from '../tools/define-tool.ts';
import type { RemoteItem } from '../worker/remote-source.ts';
import type { WorkSecrets } from '../worker/work-secrets.ts';

/** SEC-1: credentials that came with a lease. They are in memory only, and go with it. */
export interface RemoteSecrets {
  of(work: RemoteItem): WorkSecrets;
  tools(work: RemoteItem): ToolCredentials;
  log(work: RemoteItem, write: ToolContext['log']): RedactingLog;
}

interface Held {
  lent: LentSecrets;
  redactor: Redactor;
  since: number;
}

/** Credentials are asked for again before an attempt, not more often than this, in milliseconds: the server renews them. */
const FRESH = 5_000;

export function createRemoteSecrets(
  exchange: Pick<WorkExchange, 'secrets' | 'credential'>,
  clock: Clock,
): RemoteSecrets {
  const works = new WeakMap<RemoteItem, Held>();

  function heldBy(work: RemoteItem): Held {
    const known = works.get(work);
    if (known !== undefined) return known;
    const { secrets } = work.given;
    const held = { lent: secrets, redactor: redactor(secrets.secrets), since: clock.now() };
    works.set(work, held);
    return held;
  }

  function know(held: Held, lent: LentSecrets): void {
    // Another mapping means that templates have to be looked at again.
    const same = JSON.stringify(lent.keychain) === JSON.stringify(held.lent.keychain);
    held.lent = same ? { ...lent, keychain: held.lent.keychain } : lent;
    held.redactor = redactor(lent.secrets);
    held.since = clock.now();
  }

  async function ask(work: RemoteItem, asked: CredentialAsked) {
    const { answer, lent } = await exchange.credential(work.given.lease, asked);
    know(heldBy(work), lent);
    return answer;
  }

  return {
    of(work) {
      const held = heldBy(work);
      return {
        get keychain() {
          return held.lent.keychain;
        },
        redact: (value) => held.redactor.json(value),
        get redacting() {
          return held.redactor.idle ? undefined : () => redactingPieces(() => held.redactor);
        },
        renewal: () => {
          const { keychain, problems } = held.lent;
          const hasNone = problems.length === 0 && Object.keys(keychain).length === 0;
          if (hasNone || clock.now() - held.since < FRESH) return undefined;
          return exchange.secrets(work.given.lease).then((lent) => know(held, lent));
        },
        unresolved: (name) => held.lent.problems.find((problem) => problem.name === name)?.error,
      };
    },
    tools: (work) => ({
      issue: async (secrets) => {
        const answer = await ask(work, { kind: 'issue', secrets });
        return answer !== undefined && ('handle' in answer || 'problem' in answer) ? answer : NO_ANSWER;
      },
      open: async (handle) => {
        const answer = await ask(work, { kind: 'open', handle });
        return answer !== undefined && ('credential' in answer || 'problem' in answer) ? answer : NO_ANSWER;
      },
      renew: async (auth, refused) => {
        const answer = await ask(work, { kind: 'renew', auth, refused });
        return answer !== undefined && 'credential' in answer ? answer.credential : undefined;
      },
    }),
    log: (work, write) => redactingLog(() => heldBy(work).redactor, write),
  };
}

const NO_ANSWER = { problem: 'was not answered by the server.', passing: true } as const;
