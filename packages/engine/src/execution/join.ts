import type { Step } from '@noetl/playbook';
import { firstInt, type IntMap, intEntries } from '../int-map.ts';
import { fire } from './admission.ts';
import { type Draft, emit } from './draft.ts';
import { packedTokens } from './ids.ts';
import type { ExecutionState, Token } from './state.ts';

/** Places one token, or a group that its join was waiting for; false if every token that is left has to wait. */
export function placeTokens(draft: Draft): boolean {
  const arrived = oldestUnjoined(draft);
  if (arrived !== undefined) {
    fire(draft, arrived.step, [arrived.token]);
    return true;
  }
  const joins = waitingJoins(draft);
  return joins.length > 0 && settleJoins(draft, joins);
}

/** ENG-6: every token fires its own run, in the order they were sent. */
function oldestUnjoined({ plan, state }: Draft): { readonly step: Step; readonly token: Token } | undefined {
  let oldest: { readonly step: Step; readonly token: Token } | undefined;
  for (const [name, tokens] of Object.entries(state.tokens)) {
    const step = plan.steps.get(name);
    const token = firstInt(tokens)?.[1];
    if (step?.join !== 'any' || token === undefined) continue;
    if (oldest === undefined || token.id < oldest.token.id) oldest = { step, token };
  }
  return oldest;
}

interface WaitingJoin {
  readonly step: Step;
  readonly tokens: IntMap<Token>;
}

/** In YAML order. */
function waitingJoins({ plan, state }: Draft): readonly WaitingJoin[] {
  const waiting: WaitingJoin[] = [];
  for (const [name, tokens] of Object.entries(state.tokens)) {
    const step = plan.steps.get(name);
    if (step !== undefined && step.join !== 'any') waiting.push({ step, tokens });
  }
  const place = ({ step }: WaitingJoin): number => plan.order.get(step.name) ?? 0;
  return waiting.sort((a, b) => place(a) - place(b));
}

function settleJoins(draft: Draft, joins: readonly WaitingJoin[]): boolean {
  const complete = joins.find(({ step, tokens }) => typeof step.join === 'number' && tokens.size >= step.join);
  if (complete !== undefined) {
    fire(draft, complete.step, tokensOf(complete).slice(0, complete.step.join as number));
    return true;
  }
  const live = liveSteps(draft.state);
  const unreachable = joins.find(({ step }) => !canBeReached(draft, step, live));
  const join = unreachable ?? (draft.state.runs.size === 0 ? firstOfMutual(joins) : undefined);
  if (join === undefined) return false;
  if (join.step.join === 'all') fire(draft, join.step, tokensOf(join));
  else skipUnmet(draft, join);
  return true;
}

/** If only mutually waiting joins are left, the first `all` fires; without one, remainders are given up. */
const firstOfMutual = (joins: readonly WaitingJoin[]): WaitingJoin | undefined =>
  joins.find(({ step }) => step.join === 'all') ?? joins[0];

/** Steps that hold a token or a run. */
function liveSteps({ tokens, runs }: ExecutionState): ReadonlySet<string> {
  const live = new Set(Object.keys(tokens));
  for (const [, { step }] of intEntries(runs)) live.add(step);
  return live;
}

function canBeReached({ plan }: Draft, join: Step, live: ReadonlySet<string>): boolean {
  const upstream = plan.upstream.get(join.name);
  for (const step of live) if (step !== join.name && upstream?.has(step)) return true;
  return false;
}

const tokensOf = ({ tokens }: WaitingJoin): readonly Token[] => [...intEntries(tokens)].map(([, token]) => token);

function skipUnmet(draft: Draft, join: WaitingJoin): void {
  const tokens = tokensOf(join);
  emit(
    draft,
    'step.skipped',
    { status: 'skipped', parent: tokens.at(-1)?.parent },
    { step: join.step.name, tokens: packedTokens(tokens.map(({ id }) => id)), reason: 'join.unmet' },
  );
}
