import type { Executor, Loop } from '../model/playbook.ts';
import type { Templated } from '../model/templated.ts';
import {
  DEFAULT_IN_FLIGHT,
  ITERATOR_NAME,
  LOOP_FAILURES,
  LOOP_KEYS,
  LOOP_MODES,
  LOOP_POLICY_KEYS,
  LOOP_SPEC_KEYS,
  PROFILES,
  RESERVED_ITERATORS,
} from '../model/vocabulary.ts';
import { entryOf, type YamlNode } from '../yaml/node.ts';
import { OLDER_LOOP_KEYS } from './older-keys.ts';
import { readLayer } from './read-layer.ts';
import { describe, isTemplateText, type Reading } from './reading.ts';

const ITEMS = 'Write [1, 2, 3], or "{{ workload.items }}".';
const NO_ITEMS: Templated = { kind: 'literal', value: [] };
const UNREADABLE: Omit<Loop, 'exec' | 'place'> = {
  in: NO_ITEMS,
  iterator: '',
  mode: 'sequential',
  maxInFlight: DEFAULT_IN_FLIGHT,
  failure: 'fail_fast',
  spec: {},
  inner: undefined,
};

/** DOC-8. What cannot be read was reported, and is a loop all the same: its tasks are not blamed for having none. */
export function readLoop(node: YamlNode, what: string, profile: Executor['profile'], reading: Reading): Loop {
  const map = reading.map(node, what, 'Write loop: { in: "{{ workload.items }}", iterator: item }.');
  if (map === undefined) return { ...UNREADABLE, exec: profile, place: reading.place(node.span) };
  reading.keys(map, what, LOOP_KEYS, OLDER_LOOP_KEYS);
  const source = reading.required(map, 'in', what, 'Say what to go through: in: "{{ workload.items }}".');
  const name = reading.required(map, 'iterator', what, 'Name the item: it is iter.<iterator> in the tasks.');
  const iterator = name && readIterator(name.value, `${what}.iterator`, reading);
  const spec = entryOf(map, 'spec');
  const specMap = spec && reading.map(spec.value, `${what}.spec`);
  const value = (key: string) => (specMap === undefined ? undefined : entryOf(specMap, key)?.value);
  const [mode, inFlight, policy] = [value('mode'), value('max_in_flight'), value('policy')];
  const policyMap = policy && reading.map(policy, `${what}.spec.policy`);
  if (policyMap !== undefined) reading.keys(policyMap, `${what}.spec.policy`, LOOP_POLICY_KEYS);
  const exec = policyMap && entryOf(policyMap, 'exec');
  const failure = policyMap && entryOf(policyMap, 'failure');
  const inner = entryOf(map, 'loop');
  const loop = {
    mode: (mode && reading.oneOf(mode, `${what}.spec.mode`, LOOP_MODES)) ?? 'sequential',
    maxInFlight: (inFlight && reading.number(inFlight, `${what}.spec.max_in_flight`, 1, true)) ?? DEFAULT_IN_FLIGHT,
    exec: (exec && reading.oneOf(exec.value, `${what}.spec.policy.exec`, PROFILES)) ?? profile,
    failure: (failure && reading.oneOf(failure.value, `${what}.spec.policy.failure`, LOOP_FAILURES)) ?? 'fail_fast',
    spec: readLayer(specMap, `${what}.spec`, LOOP_SPEC_KEYS, reading),
    inner: inner && readLoop(inner.value, `${what}.loop`, profile, reading),
    place: reading.place(map.span),
  } as const;
  if (source !== undefined && source.value.kind !== 'list' && !isTemplateText(source.value)) {
    reading.wrongType(source.value, `${what}.in`, 'a list, or a template that gives one', ITEMS);
  }
  return { in: source === undefined ? NO_ITEMS : reading.templated(source.value), iterator: iterator ?? '', ...loop };
}

/** Whether a step has iterations, and whether they may run beside each other: parallel if any level is. */
export function loopMode(loop: Loop | undefined): 'none' | 'sequential' | 'parallel' {
  if (loop === undefined) return 'none';
  for (let level: Loop | undefined = loop; level !== undefined; level = level.inner)
    if (level.mode === 'parallel') return 'parallel';
  return 'sequential';
}

function readIterator(node: YamlNode, what: string, reading: Reading): string | undefined {
  const name = reading.text(node, what);
  if (name === undefined) return undefined;
  if (ITERATOR_NAME.test(name) && !RESERVED_ITERATORS.includes(name)) return name;
  const expected = RESERVED_ITERATORS.includes(name)
    ? 'a name that the iteration does not have already'
    : 'a name that templates can read';
  reading.problems.error(
    'NOETL_VALUE',
    node.span,
    `${what} is ${describe(node)}, expected ${expected}`,
    'For example: item, city, row.',
  );
  return undefined;
}
