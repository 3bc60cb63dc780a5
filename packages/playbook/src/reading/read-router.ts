import type { Arc, Router } from '../model/playbook.ts';
import { ARC_KEYS, ROUTER_FAILURES, ROUTER_KEYS, ROUTER_MODES, ROUTER_SPEC_KEYS } from '../model/vocabulary.ts';
import { entryOf, type YamlNode } from '../yaml/node.ts';
import { OLDER_ARC_KEYS } from './older-keys.ts';
import { readCondition } from './read-condition.ts';
import { describe, isTemplateText, type Reading } from './reading.ts';

const SHAPE =
  'Write next: { spec: { mode: exclusive }, arcs: [ { step: name, when: "{{ … }}" } ] }; noetl migrate rewrites older forms, --legacy takes them as they are.';

const ARC = 'Write { step: name }, or { step: name, when: "{{ … }}" }.';

/** DOC-7: the router object, and no other shape. */
export function readRouter(node: YamlNode, what: string, reading: Reading): Router | undefined {
  if (node.kind !== 'map') {
    reading.problems.error(
      'NOETL_NEXT_SHAPE',
      node.span,
      `${what} is ${describe(node)}, expected a router with 'arcs'`,
      SHAPE,
    );
    return undefined;
  }
  const legacy = { code: 'NOETL_NEXT_SHAPE', hint: SHAPE } as const;
  reading.keys(node, what, ROUTER_KEYS, { when: legacy, then: legacy, else: legacy, step: legacy });
  const spec = entryOf(node, 'spec');
  const specMap = spec && reading.map(spec.value, `${what}.spec`);
  if (specMap !== undefined) reading.keys(specMap, `${what}.spec`, ROUTER_SPEC_KEYS);
  const policy = specMap && entryOf(specMap, 'policy');
  // Reserved by the language: nothing may stand in it yet.
  const policyMap = policy && reading.map(policy.value, `${what}.spec.policy`);
  if (policyMap !== undefined) reading.keys(policyMap, `${what}.spec.policy`, []);
  const mode = specMap && entryOf(specMap, 'mode');
  const onFailure = specMap && entryOf(specMap, 'on_failure');
  const arcs = reading.required(node, 'arcs', what, SHAPE);
  return {
    mode: (mode && reading.oneOf(mode.value, `${what}.spec.mode`, ROUTER_MODES)) ?? 'exclusive',
    onFailure: (onFailure && reading.oneOf(onFailure.value, `${what}.spec.on_failure`, ROUTER_FAILURES)) ?? 'event',
    arcs: arcs === undefined ? [] : readArcs(arcs.value, `${what}.arcs`, reading),
  };
}

function readArcs(node: YamlNode, what: string, reading: Reading): readonly Arc[] {
  return (reading.list(node, what, SHAPE) ?? []).flatMap((item, i): Arc[] => {
    const arc = readArc(item, `${what}[${i}]`, reading);
    return arc === undefined ? [] : [arc];
  });
}

function readArc(node: YamlNode, what: string, reading: Reading): Arc | undefined {
  const map = reading.map(node, what, ARC);
  if (map === undefined) return undefined;
  reading.keys(map, what, ARC_KEYS, OLDER_ARC_KEYS);
  const step = reading.required(map, 'step', what, 'Name the step it goes to.');
  const target = step && reading.text(step.value, `${what}.step`);
  const when = entryOf(map, 'when');
  const args = entryOf(map, 'args');
  const spec = entryOf(map, 'spec');
  const specMap = spec && reading.map(spec.value, `${what}.spec`);
  if (specMap !== undefined) reading.keys(specMap, `${what}.spec`, []);
  if (args !== undefined && !isTemplateText(args.value)) {
    reading.map(args.value, `${what}.args`, 'Write args: { name: value }.');
  }
  const condition = when && readCondition(when.value, reading);
  const data = args && reading.templated(args.value);
  // A guard that could not be read was reported; the target is still checked.
  if (step === undefined || target === undefined) return undefined;
  return { step: target, when: condition, args: data, place: reading.place(step.value.span) };
}
