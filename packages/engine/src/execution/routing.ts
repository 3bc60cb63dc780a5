import type { Arc, JsonMap, Router, Templated } from '@noetl/playbook';
import { isMap } from '../is-map.ts';
import { failure, type OutcomeError } from '../outcome.ts';
import type { Evaluated } from '../scope/attempt.ts';
import { conditionText, explained, readsOf } from '../scope/reads.ts';
import type { ScopeParts } from '../scope/template-scope.ts';
import { type Draft, emit, holdsIn, partsWith, renderIn, type Verdict } from './draft.ts';
import { endedByFailure } from './drain.ts';
import { boundaryView } from './evolve.ts';
import type { ArcVerdict } from './payloads.ts';
import type { Boundary } from './state.ts';

/**
 * ENG-4: evaluates the arcs of a step whose run ended, and records every one with its verdict. A step without a router
 * has no arcs, and its branch ends.
 */
export function route(draft: Draft, boundary: Boundary): void {
  const step = draft.plan.steps.get(boundary.step);
  const router = step?.router ?? NO_ROUTER;
  const evaluated = router.arcs.length === 0 ? { value: [] } : evaluateArcs(draft, router, boundary);
  const arcs = 'error' in evaluated ? router.arcs.map(unasked) : evaluated.value;
  const problem = 'error' in evaluated ? evaluated.error : arcs.find((arc) => arc.error !== undefined)?.error;
  const error = problem ?? untaken(boundary, arcs);
  emit(
    draft,
    'next.evaluated',
    {
      status: error === undefined ? 'success' : 'error',
      work: { run: boundary.run, path: [] },
      parent: boundary.event_id,
    },
    {
      step: boundary.step,
      boundary: { event_id: boundary.event_id, name: boundary.name },
      mode: router.mode,
      arcs: explained(arcs),
      ...(error === undefined ? {} : { error, ...endedByFailure(draft) }),
    },
  );
}

const NO_ROUTER: Router = { mode: 'exclusive', onFailure: 'event', arcs: [] };

/** ENG-5: a failure that no arc took ends the execution. */
const untaken = (boundary: Boundary, arcs: readonly ArcVerdict[]): OutcomeError | undefined =>
  boundary.name === 'step.failed' && !arcs.some(({ verdict }) => verdict === 'matched')
    ? (boundary.payload.error as unknown as OutcomeError)
    : undefined;

function evaluateArcs(draft: Draft, router: Router, boundary: Boundary): Evaluated<readonly ArcVerdict[]> {
  const common = partsWith(draft, boundary.args);
  if ('error' in common) return common;
  const parts = { ...common.value, event: boundaryView(boundary) };
  const arcs: ArcVerdict[] = [];
  for (const arc of router.arcs) {
    // Exclusive takes the first match in YAML order; after an error nothing more is asked.
    const settled = arcs.some(
      ({ verdict }) => verdict === 'error' || (verdict === 'matched' && router.mode === 'exclusive'),
    );
    arcs.push(settled ? unasked(arc) : evaluateArc(draft, router, arc, boundary, parts));
  }
  // TPL-4: an error ends the execution, so that no arc sends a token.
  return { value: arcs.some(({ verdict }) => verdict === 'error') ? arcs : withTokens(draft, arcs) };
}

/** Arcs that matched send a token each, unless they go to an undefined `end`. */
function withTokens({ plan, state }: Draft, arcs: readonly ArcVerdict[]): readonly ArcVerdict[] {
  let token = state.tokenCount;
  return arcs.map((arc) => (arc.verdict === 'matched' && plan.steps.has(arc.step) ? { ...arc, token: ++token } : arc));
}

const unasked = (arc: Arc): ArcVerdict => ({ ...described(arc), verdict: 'not_evaluated' });

function evaluateArc(draft: Draft, router: Router, arc: Arc, boundary: Boundary, parts: ScopeParts): ArcVerdict {
  if (boundary.name === 'step.failed' && !takesFailures(router, arc)) {
    return { ...described(arc), verdict: 'not_considered' };
  }
  const held: Verdict = arc.when === undefined ? { value: true } : holdsIn(draft, arc.when, parts);
  const seen = { ...described(arc), ...(held.reads === undefined ? {} : { reads: held.reads }) };
  if ('error' in held) return { ...seen, verdict: 'error', error: held.error };
  if (!held.value) return { ...seen, verdict: 'not_matched' };
  const args = arc.args === undefined ? { value: {} } : argsIn(draft, arc.args, parts);
  if ('error' in args) return { ...seen, verdict: 'error', error: args.error };
  // Arc args merge over the token's, shallow, the arc wins.
  return { ...seen, verdict: 'matched', args: { ...parts.args, ...args.value } };
}

function argsIn(draft: Draft, args: Templated, parts: ScopeParts): Evaluated<JsonMap> {
  const rendered = renderIn(draft, args, parts);
  if ('error' in rendered) return rendered;
  const { value } = rendered;
  if (isMap(value)) return { value };
  const found = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
  return { error: failure('arc.args', `the args of an arc are to be a mapping, found ${found}.`) };
}

/** ENG-5: only an arc whose `when` reads `event` is considered after a failure, unless the router says `all`. */
const takesFailures = ({ onFailure }: Router, { when }: Arc): boolean =>
  onFailure === 'all' || readsOf(when).some(({ name }) => name === 'event');

const described = ({ step, when }: Arc): Pick<ArcVerdict, 'step' | 'when'> => ({
  step,
  ...(when === undefined ? {} : { when: conditionText(when) }),
});
