import type { AdmissionRule, JsonMap, Step } from '@noetl/playbook';
import { timestampOf } from '../instant.ts';
import { failure, type OutcomeError } from '../outcome.ts';
import type { Evaluated } from '../scope/attempt.ts';
import { conditionText, explained } from '../scope/reads.ts';
import { type Draft, emit, holdsIn, loadedValues, partsWith } from './draft.ts';
import { endedByFailure } from './drain.ts';
import { packedTokens, type Work } from './ids.ts';
import type { Payload } from './payloads.ts';
import type { Token } from './state.ts';

/** The tokens fire a run of the step, if it admits them (ENG-3). Several fire together where they were joined. */
export function fire(draft: Draft, step: Step, tokens: readonly Token[]): void {
  const { state, plan } = draft;
  const ids = packedTokens(tokens.map(({ id }) => id));
  const last = tokens.at(-1);
  const work: Work = { run: state.stats.step_runs + 1, path: [] };
  const about = { work, parent: last?.parent };
  if (state.stats.step_runs >= plan.limits.stepRuns) {
    const error = failure(
      'limit.step_runs',
      `the execution had ${plan.limits.stepRuns} step runs, which is the limit.`,
    );
    const payload = { step: step.name, error, tokens: ids, fatal: true, ...endedByFailure(draft) };
    emit(draft, 'step.failed', { ...about, status: 'error' }, payload);
    return;
  }
  const args = mergedArgs(draft, tokens);
  const admitted: Admitted = 'error' in args ? args : admit(draft, step.admission, args.value, last?.event ?? {});
  if ('error' in admitted) {
    const known = 'error' in args ? {} : { args: args.value };
    const payload = { step: step.name, error: admitted.error, tokens: ids, ...known, ...admitted.why };
    emit(draft, 'step.failed', { ...about, status: 'error' }, payload);
  } else if (admitted.allow) {
    schedule(draft, step, about, { args: admitted.args, tokens: ids, ...admitted.why });
  } else {
    const payload = { step: step.name, tokens: ids, reason: 'admission.denied', ...admitted.why } as const;
    emit(draft, 'step.skipped', { status: 'skipped', parent: last?.parent }, payload);
  }
}

function schedule(
  draft: Draft,
  step: Step,
  about: { readonly work: Work; readonly parent: string | undefined },
  taken: AdmittedBy & { readonly args: JsonMap; readonly tokens: Payload<'step.scheduled'>['tokens'] },
): void {
  const timeout = step.timeout ?? draft.plan.playbook.executor.stepTimeout;
  const first = step.tasks[0]?.label;
  emit(
    draft,
    'step.scheduled',
    { ...about, status: 'in_progress' },
    {
      step: step.name,
      ...taken,
      work: step.loop !== undefined ? 'loop' : first === undefined ? 'none' : 'pipeline',
      ...(first === undefined ? {} : { first_task: first }),
      ...(timeout === undefined ? {} : { deadline: timestampOf(draft.input.at + timeout * 1000) }),
    },
  );
}

/** Args of joined tokens merge in the order their senders stand in the YAML; the later wins (ENG-6). */
function mergedArgs(draft: Draft, tokens: readonly Token[]): Evaluated<JsonMap> {
  const place = ({ from }: Token): number => (from === undefined ? -1 : (draft.plan.order.get(from) ?? -1));
  const ordered = tokens.toSorted((a, b) => place(a) - place(b) || a.id - b.id);
  const loaded = loadedValues(
    draft,
    ordered.map(({ args }) => args),
  );
  if ('error' in loaded) return loaded;
  return { value: Object.fromEntries(loaded.value.flatMap((args) => Object.entries(args as JsonMap))) };
}

type Admitted =
  | { readonly allow: boolean; readonly args: JsonMap; readonly why: AdmittedBy }
  | { readonly error: OutcomeError; readonly why?: AdmittedBy };

/** The rule that decided; none where none matched. */
type AdmittedBy = Pick<Payload<'step.scheduled'>, 'rule' | 'when' | 'reads'>;

/** First match wins, default allow. */
function admit(draft: Draft, rules: readonly AdmissionRule[], args: JsonMap, event: JsonMap): Admitted {
  if (rules.length === 0) return { allow: true, args, why: {} };
  const parts = partsWith(draft, args);
  if ('error' in parts) return parts;
  for (const [rule, { when, allow }] of rules.entries()) {
    if (when === undefined) return { allow, args, why: { rule } };
    const held = holdsIn(draft, when, { ...parts.value, event });
    if ('value' in held && !held.value) continue;
    const [found] = explained([
      { when: conditionText(when), ...(held.reads === undefined ? {} : { reads: held.reads }) },
    ]);
    const why = { rule, ...found };
    return 'error' in held ? { error: held.error, why } : { allow, args, why };
  }
  return { allow: true, args, why: {} };
}
