import { type ConditionText, conjunction, disjunction, negated } from '../names/condition.ts';
import { renamedCondition } from '../names/rename-names.ts';
import { scalar } from '../tree/build.ts';
import { entryOf, fieldOf } from '../tree/edit.ts';
import type { EntryTree, MapTree, Tree } from '../tree/tree.ts';
import { conditionEntry } from './condition-entry.ts';
import { attemptsText } from './retry-backoff.ts';
import type { StepFlow } from './step-flow.ts';
import { IS_ERROR } from './text-condition.ts';

/** Keys that say after which outcomes a task is tried again. */
export const RETRY_CONDITION_KEYS: readonly string[] = [
  'retry_when',
  'stop_when',
  'when',
  'retry_on',
  'retry_on_status',
];

/** When a retry clause tries again, in a rule of the task; undefined, with a problem, where it cannot be told. */
export function retryCondition(clause: MapTree, kind: string | undefined, flow: StepFlow): ConditionText | undefined {
  const wanted = [...conditions(clause, ['retry_when', 'when'], flow), ...kindsOf(clause, kind, flow)];
  const stops = conditions(clause, ['stop_when'], flow);
  if ([...wanted, ...stops].includes(undefined)) return undefined;
  const any = wanted.filter((text) => text !== undefined);
  const stop = stops.filter((text) => text !== undefined);
  if (stop.length === 0) return any.length === 0 ? IS_ERROR : disjunction(any);
  // When the attempts are used up the last outcome stands, also one that is ok.
  const attempts = attemptsText(clause);
  const left = attempts === undefined ? [] : [`{{ _attempt < ${attempts} }}`];
  return conjunction([...(any.length === 0 ? [] : [disjunction(any)]), negated(disjunction(stop)), ...left]);
}

/** The conditions of these keys, each one text or a list of texts of which one must hold. */
function conditions(clause: MapTree, keys: readonly string[], flow: StepFlow): readonly (ConditionText | undefined)[] {
  return keys.flatMap((key) => {
    const found = entryOf(clause, key);
    if (found === undefined) return [];
    const trees = found.value.kind === 'list' ? found.value.items.map(({ value }) => value) : [found.value];
    return trees.map((value) => conditionIn({ ...found, value }, clause, flow));
  });
}

function conditionIn(found: EntryTree, clause: MapTree, flow: StepFlow): ConditionText | undefined {
  const when = conditionEntry(found, flow);
  const value = when?.value.kind === 'scalar' ? when.value.value : undefined;
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const { name: step, facts, journal } = flow;
  const site = { at: 'policy', step, maxAttempts: attemptsText(clause) } as const;
  const renamed = renamedCondition(scalar(value), site, facts, journal, found.at);
  return renamed.kind === 'scalar' && typeof renamed.value === 'string' ? renamed.value : value;
}

/** `retry_on: [timeout]`, `retry_on_status: [503]`. */
function kindsOf(clause: MapTree, kind: string | undefined, flow: StepFlow): readonly (string | undefined)[] {
  const words = entryOf(clause, 'retry_on');
  const numbers = fieldOf(clause, 'retry_on_status');
  const named = words === undefined ? [] : listed(words.value).map((word) => kindCondition(word, kind, words, flow));
  const statuses = listed(numbers).filter((status) => typeof status === 'number');
  return statuses.length === 0 ? named : [...named, `{{ outcome.http.status in [${statuses.join(', ')}] }}`];
}

const listed = (tree: Tree | undefined): readonly unknown[] => {
  if (tree?.kind === 'list') return tree.items.flatMap(({ value }) => listed(value));
  return tree?.kind === 'scalar' ? [tree.value] : [];
};

function kindCondition(word: unknown, kind: string | undefined, at: EntryTree, flow: StepFlow): string | undefined {
  if (typeof word === 'number') return `{{ outcome.http.status == ${word} }}`;
  const kinds = ERROR_KINDS[String(word).toLowerCase()]?.(kind);
  if (kinds === undefined) {
    flow.journal.problem(
      at.at,
      `retry_on names '${String(word)}', and what it stood for is not known`,
      'Say it as a condition: retry_when: "{{ … }}"; then migrate.',
    );
    return undefined;
  }
  const [only, ...more] = kinds;
  if (only === undefined) return IS_ERROR;
  return more.length === 0
    ? `{{ outcome.error.kind == '${only}' }}`
    : `{{ outcome.error.kind in [${kinds.map((one) => `'${one}'`).join(', ')}] }}`;
}

/** The error of a child execution is that of the task which called it. */
const timeouts = (kind: string | undefined): readonly string[] =>
  kind === 'playbook' ? ['timeout', 'timeout.step', 'timeout.execution'] : ['timeout'];

const connections = (kind: string | undefined): readonly string[] => {
  if (kind === 'http') return ['http.connect'];
  return kind === 'postgres' || kind === 'duckdb' ? ['sql.connect'] : ['http.connect', 'sql.connect'];
};

const errors = (): readonly string[] => [];

/** None: any error. */
const ERROR_KINDS: Readonly<Record<string, (kind: string | undefined) => readonly string[]>> = {
  timeout: timeouts,
  timeout_error: timeouts,
  connection: connections,
  connection_error: connections,
  network: connections,
  network_error: connections,
  http_error: () => ['http.status'],
  status: () => ['http.status'],
  exception: () => ['python.exception'],
  error: errors,
  failure: errors,
  any: errors,
  all: errors,
};
