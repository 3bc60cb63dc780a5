import type { Policy, Rule, SharedWrite, Then } from '../model/playbook.ts';
import type { Templated } from '../model/templated.ts';
import {
  BACKOFFS,
  DEFAULT_ATTEMPTS,
  DEFAULT_DELAY,
  DIRECTIVES,
  POLICY_KEYS,
  REDUCERS,
  RETRY_KEYS,
  RULE_KEYS,
  SHARED_WRITE_KEYS,
  THEN_KEYS,
} from '../model/vocabulary.ts';
import { entryOf, type MapNode, type YamlNode } from '../yaml/node.ts';
import { OLDER_RULE_KEYS, OLDER_THEN_KEYS, older } from './older-keys.ts';
import { readCondition } from './read-condition.ts';
import { seconds } from './read-layer.ts';
import { describe, isTemplateText, type Reading } from './reading.ts';

const RULE = 'Write { when: "{{ … }}", then: { do: … } }, or { else: { then: { do: … } } }.';

const USUAL_DELAY: Templated = { kind: 'literal', value: DEFAULT_DELAY };

/** What a policy may refer to. */
export interface PolicyScope {
  /** Undefined for a task of the workbook, which any step may call. */
  readonly step: string | undefined;
  readonly labels: readonly string[];
  /** Inside a loop `set_iter` and `set_shared` have a place to write to. */
  readonly loop: 'none' | 'sequential' | 'parallel';
}

/** One rule of a list before its `then` is known: `{when, then}`, `{else: {then}}` or `{else: …, then}`. */
interface RawRule {
  readonly node: MapNode;
  readonly when: YamlNode | undefined;
  readonly then: YamlNode | undefined;
}

/** DOC-9: the outcome rules of a task. */
export function readPolicy(node: YamlNode, what: string, scope: PolicyScope, reading: Reading): Policy | undefined {
  if (node.kind !== 'map') {
    const hint = 'Write policy: { rules: [ { when: "{{ … }}", then: { do: … } }, { else: { then: { do: … } } } ] }.';
    reading.problems.error(
      'NOETL_POLICY_SHAPE',
      node.span,
      `${what} is ${describe(node)}, expected a mapping with 'rules'`,
      hint,
    );
    return undefined;
  }
  reading.keys(node, what, POLICY_KEYS);
  const entry = reading.required(node, 'rules', what, 'Write rules: [ … ].');
  if (entry === undefined) return undefined;
  const raw = readRules(entry.value, `${what}.rules`, reading);
  const items = entry.value.kind === 'list' ? entry.value.items.length : 0;
  // A rule that could not be told may be the else.
  if (items > 0 && raw.length === items && !raw.some(catchesAll)) {
    reading.problems.warn(
      'NOETL_ELSE_MISSING',
      entry.keySpan,
      `${what} has no else rule: an outcome that no rule matches continues, also an error`,
      'Add - else: { then: { do: continue } }, or do: fail.',
    );
  }
  const rules = raw.flatMap((rule): Rule[] => {
    const then = rule.then === undefined ? undefined : readThen(rule.then, scope, reading);
    const when = rule.when === undefined ? undefined : readCondition(rule.when, reading);
    if (then === undefined || (rule.when !== undefined && when === undefined)) return [];
    return [{ when, then, place: reading.place(rule.node.span) }];
  });
  return { rules };
}

const catchesAll = ({ when }: RawRule): boolean =>
  when === undefined || (when.kind === 'scalar' && when.value === true);

/** The rules of a policy or an admission, with their shapes checked and `else` recognised. */
export function readRules(node: YamlNode, what: string, reading: Reading): readonly RawRule[] {
  const items = reading.list(node, what);
  if (items === undefined) return [];
  if (items.length === 0)
    reading.problems.error(
      'NOETL_POLICY_SHAPE',
      node.span,
      `${what} is empty`,
      'Give it a rule, or remove the policy.',
    );
  let elseSeen = false;
  return items.flatMap((item, i): RawRule[] => {
    const rule = readRule(item, `${what}[${i}]`, reading);
    if (rule === undefined) return [];
    if (elseSeen)
      reading.problems.error(
        'NOETL_POLICY_SHAPE',
        item.span,
        `${what}[${i}] stands after else and can never match`,
        'Put else last.',
      );
    elseSeen ||= rule.when === undefined;
    return [rule];
  });
}

function readRule(node: YamlNode, what: string, reading: Reading): RawRule | undefined {
  const map = reading.map(node, what, RULE);
  if (map === undefined) return undefined;
  reading.keys(map, what, RULE_KEYS, OLDER_RULE_KEYS);
  const when = entryOf(map, 'when');
  const otherwise = entryOf(map, 'else');
  const beside = entryOf(map, 'then');
  const inside = otherwise?.value.kind === 'map' ? entryOf(otherwise.value, 'then') : undefined;
  if (otherwise?.value.kind === 'map' && inside === undefined && entryOf(otherwise.value, 'do') !== undefined) {
    const message = `${what}.else holds the directive itself, expected { then: … }`;
    reading.problems.error(
      'NOETL_DIRECTIVE_MISSING',
      otherwise.value.span,
      message,
      older('Write else: { then: { do: … } }').hint,
    );
    return { node: map, when: undefined, then: otherwise.value };
  }
  if (otherwise?.value.kind === 'map') reading.keys(otherwise.value, `${what}.else`, ['then']);
  else if (
    otherwise !== undefined &&
    !(otherwise.value.kind === 'scalar' && (otherwise.value.value === null || otherwise.value.value === true))
  ) {
    reading.problems.error(
      'NOETL_POLICY_SHAPE',
      otherwise.value.span,
      `${what}.else is ${describe(otherwise.value)}, expected { then: … }`,
      'Write else: { then: { do: … } }.',
    );
  }
  if ((when === undefined) === (otherwise === undefined)) {
    reading.problems.error(
      'NOETL_POLICY_SHAPE',
      map.span,
      `${what} has ${when === undefined ? "neither 'when' nor 'else'" : "both 'when' and 'else'"}`,
      "A rule has 'when' and 'then', or 'else'.",
    );
    return undefined;
  }
  if (inside !== undefined && beside !== undefined) {
    reading.problems.error(
      'NOETL_POLICY_SHAPE',
      beside.keySpan,
      `${what} has two 'then'`,
      'Keep the one inside of else, or the one beside it.',
    );
  }
  const then = inside ?? beside;
  if (then === undefined) {
    reading.problems.error(
      'NOETL_DIRECTIVE_MISSING',
      map.span,
      `${what} has no 'then'`,
      'Say what to do: then: { do: continue }.',
    );
  }
  return { node: map, when: when?.value, then: then?.value };
}

function readThen(node: YamlNode, scope: PolicyScope, reading: Reading): Then | undefined {
  const map = reading.map(node, 'then', 'Write then: { do: continue }.');
  if (map === undefined) return undefined;
  reading.keys(map, 'then', THEN_KEYS, OLDER_THEN_KEYS);
  const entry = entryOf(map, 'do');
  if (entry === undefined) {
    reading.problems.error(
      'NOETL_DIRECTIVE_MISSING',
      map.span,
      "then has no 'do'",
      `Say what to do: ${DIRECTIVES.join(', ')}.`,
    );
    return undefined;
  }
  const directive = reading.oneOf(entry.value, 'do', DIRECTIVES);
  const value = (key: string) => entryOf(map, key)?.value;
  const [attempts, backoff, delay, maxDelay] = [
    value('attempts'),
    value('backoff'),
    value('delay'),
    value('max_delay'),
  ];
  if (directive !== undefined && directive !== 'retry') refuseRetryKeys(map, directive, reading);
  const then: Omit<Then, 'do'> = {
    attempts: (attempts && reading.number(attempts, 'attempts', 1, true)) ?? DEFAULT_ATTEMPTS,
    backoff: (backoff && reading.oneOf(backoff, 'backoff', BACKOFFS, backoffHint(backoff))) ?? 'none',
    delay: delay === undefined ? USUAL_DELAY : readDelay(delay, reading),
    maxDelay: maxDelay && seconds(maxDelay, 'max_delay', reading),
    to: readTarget(map, directive, scope, reading),
    setIter: readPatch(map, 'set_iter', scope, reading),
    setCtx: readPatch(map, 'set_ctx', scope, reading),
    setShared: readShared(map, scope, reading),
  };
  return directive === undefined ? undefined : { do: directive, ...then };
}

function refuseRetryKeys(map: MapNode, directive: string, reading: Reading): void {
  for (const key of RETRY_KEYS) {
    const entry = entryOf(map, key);
    if (entry !== undefined) {
      reading.problems.error(
        'NOETL_KEY_UNKNOWN',
        entry.keySpan,
        `'${key}' has no meaning for do: ${directive}`,
        'It belongs to do: retry.',
      );
    }
  }
}

function readDelay(node: YamlNode, reading: Reading): Templated {
  if (isTemplateText(node)) return reading.templated(node);
  const value = node.kind === 'scalar' ? node.value : undefined;
  if (typeof value === 'number' && value >= 0) return { kind: 'literal', value };
  reading.problems.error(
    'NOETL_VALUE',
    node.span,
    `delay is ${describe(node)}, expected a number of seconds or a template`,
    'For example: 2, or "{{ outcome.http.headers[\'retry-after\'] }}".',
  );
  return USUAL_DELAY;
}

/** `fixed` is what today's public dialect calls a delay that never grows. */
const backoffHint = (node: YamlNode): string | undefined =>
  node.kind === 'scalar' && node.value === 'fixed'
    ? older('A delay that never grows is backoff: none').hint
    : undefined;

function readTarget(
  map: MapNode,
  directive: string | undefined,
  scope: PolicyScope,
  reading: Reading,
): string | undefined {
  const to = entryOf(map, 'to');
  if (directive === undefined) return undefined;
  if (directive !== 'jump') {
    if (to !== undefined)
      reading.problems.error(
        'NOETL_KEY_UNKNOWN',
        to.keySpan,
        `'to' has no meaning for do: ${directive}`,
        'It belongs to do: jump.',
      );
    return undefined;
  }
  if (to === undefined) {
    reading.problems.error(
      'NOETL_REQUIRED',
      map.span,
      "do: jump has no 'to'",
      `Name a task of this pipeline: ${scope.labels.join(', ')}.`,
    );
    return undefined;
  }
  const label = reading.text(to.value, 'to');
  if (label === undefined || scope.labels.includes(label)) return label;
  const hint = reading.problems.suggest(label, scope.labels) ?? `Its tasks are: ${scope.labels.join(', ')}.`;
  reading.problems.error(
    'NOETL_JUMP_TARGET_UNKNOWN',
    to.value.span,
    `jump goes to the task '${label}', which this pipeline does not have`,
    hint,
  );
  return label;
}

function readPatch(
  map: MapNode,
  key: 'set_iter' | 'set_ctx',
  scope: PolicyScope,
  reading: Reading,
): Templated | undefined {
  const entry = entryOf(map, key);
  if (entry === undefined) return undefined;
  if (key === 'set_iter' && scope.loop === 'none') {
    reading.problems.error(
      'NOETL_SET_ITER_MISPLACED',
      entry.keySpan,
      'set_iter outside of a loop: there is no iteration to write to',
      'Use set_ctx, or give the step a loop.',
    );
  }
  const patch = reading.map(entry.value, key, `Write ${key}: { name: "{{ … }}" }.`);
  if (key === 'set_ctx' && scope.loop === 'parallel') {
    reading.problems.warn(
      'NOETL_SET_CTX_PARALLEL',
      entry.keySpan,
      `set_ctx of ${ctxKeys(patch?.entries.map((write) => write.key) ?? [])} from the parallel loop of the step '${scope.step}': two iterations that write different values fail the step`,
      'Use set_shared with a reducer.',
    );
  }
  return patch === undefined ? undefined : reading.templated(patch);
}

/** Some keys of ctx, as a warning names them. */
export const ctxKeys = (keys: readonly string[]): string =>
  `${keys
    .slice(0, 5)
    .map((key) => `ctx.${key}`)
    .join(', ')}${keys.length > 5 ? ', …' : ''}`;

function readShared(map: MapNode, scope: PolicyScope, reading: Reading): readonly SharedWrite[] {
  const entry = entryOf(map, 'set_shared');
  if (entry === undefined) return [];
  if (scope.loop === 'none') {
    reading.problems.error(
      'NOETL_SET_SHARED_MISPLACED',
      entry.keySpan,
      'set_shared outside of a loop: nothing is shared',
      'Use set_ctx, or give the step a loop.',
    );
  }
  const writes = reading.map(entry.value, 'set_shared');
  return (writes?.entries ?? []).flatMap(({ key, value }): SharedWrite[] => {
    const what = `set_shared.${key}`;
    const write = reading.map(value, what, 'Write { reduce: sum, value: "{{ … }}" }.');
    if (write === undefined) return [];
    reading.keys(write, what, SHARED_WRITE_KEYS);
    const reduce = reading.required(write, 'reduce', what, `Reducers are: ${REDUCERS.join(', ')}.`);
    const reducer = reduce && reading.oneOf(reduce.value, `${what}.reduce`, REDUCERS);
    // Counting needs no value.
    const given =
      entryOf(write, 'value') ??
      (reducer === 'count' ? undefined : reading.required(write, 'value', what, 'Say what this iteration adds.'));
    if (reducer === undefined) return [];
    return [
      {
        key,
        reduce: reducer,
        value: given === undefined ? { kind: 'literal', value: null } : reading.templated(given.value),
      },
    ];
  });
}
