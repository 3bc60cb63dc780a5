import type { AdmissionRule, Json } from '@noetl/playbook';
import type { EventOf } from '../execution/event.ts';
import { unpackedTokens } from '../execution/ids.ts';
import type { Plan } from '../execution/plan.ts';
import type { ExecutionState, Token } from '../execution/state.ts';
import { getInt } from '../int-map.ts';
import { isMap } from '../is-map.ts';
import { conditionText } from '../scope/reads.ts';
import type { ScopeParts } from '../scope/template-scope.ts';
import { conditionReads, recordedReads } from './condition-reads.ts';
import type { Asked, Explanation } from './explanation.ts';
import type { ReferencedValues } from './referenced-values.ts';
import { ruleVerdict, wasAsked } from './rule-verdict.ts';
import { serverParts } from './server-parts.ts';

type AdmissionEvent = EventOf<'step.scheduled' | 'step.skipped' | 'step.failed'>;

const DECISIONS = { 'step.scheduled': 'allow', 'step.skipped': 'deny', 'step.failed': 'error' } as const;

/** ENG-3: the rules of a step, and which of them let its tokens in, or did not. */
export function explainAdmission(
  plan: Plan,
  state: ExecutionState,
  event: AdmissionEvent,
  values: ReferencedValues,
): Explanation | undefined {
  const { step, rule } = event.payload;
  const rules = plan.steps.get(step)?.admission ?? [];
  if (rules.length === 0 || !isAdmission(event)) return undefined;
  const decision = DECISIONS[event.name];
  const decided = decision === 'error' ? { failed: rule } : { by: rule ?? ('none' as const) };
  const parts = admissionParts(plan, state, event, values);
  const conditions = rules.map((one, index): Asked => {
    const verdict = ruleVerdict(index, decided);
    const recorded = index === rule ? event.payload.reads : undefined;
    return {
      index,
      ...(one.when === undefined ? {} : { when: conditionText(one.when) }),
      verdict,
      leads_to: one.allow ? 'allow' : 'deny',
      ...(wasAsked(verdict) ? readsOfRule(one, recorded, parts, values) : {}),
      ...(verdict === 'error' && event.name === 'step.failed' ? { error: event.payload.error } : {}),
    };
  });
  return { about: 'admission', step, decision, by: rule ?? 'default', conditions };
}

/** A join that cannot become complete, and a run that fails later, were no matter of its rules. */
function isAdmission(event: AdmissionEvent): boolean {
  if (event.name === 'step.skipped') return event.payload.reason === 'admission.denied';
  return event.name === 'step.scheduled' || event.payload.rule !== undefined;
}

const readsOfRule = (
  { when }: AdmissionRule,
  recorded: Asked['reads'],
  parts: ScopeParts,
  values: ReferencedValues,
): Pick<Asked, 'reads' | 'undefined'> => {
  if (when === undefined) return {};
  return recorded === undefined ? conditionReads(when, parts, values) : recordedReads(when, recorded);
};

function admissionParts(
  plan: Plan,
  state: ExecutionState,
  { payload }: AdmissionEvent,
  values: ReferencedValues,
): ScopeParts {
  const there = Object.hasOwn(state.tokens, payload.step) ? state.tokens[payload.step] : undefined;
  const taken = unpackedTokens(payload.tokens ?? []).flatMap((id) => (there && getInt(there, id)) ?? []);
  const args = 'args' in payload ? payload.args : undefined;
  const merged = args ?? mergedArgs(plan, taken, values);
  return { ...serverParts(plan, state, merged), event: taken.at(-1)?.event ?? {} };
}

/** ENG-6: args of joined tokens merge in the order their senders stand in the YAML. */
function mergedArgs({ order }: Plan, tokens: readonly Token[], values: ReferencedValues): Json {
  const place = ({ from }: Token): number => (from === undefined ? -1 : (order.get(from) ?? -1));
  const ordered = tokens.toSorted((a, b) => place(a) - place(b) || a.id - b.id);
  if (ordered.length === 1) return ordered[0]?.args ?? {};
  const maps = ordered.map(({ args }) => values.of(args)).filter((args) => isMap(args));
  return Object.fromEntries(maps.flatMap((args) => Object.entries(args)));
}
