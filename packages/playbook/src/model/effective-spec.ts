import type { Json, JsonMap } from './json.ts';
import type { Layer, Playbook, Step, Task } from './playbook.ts';
import { INHERITED_SPEC_KEYS } from './vocabulary.ts';

/**
 * DOC-14: executor → step → loop → task, inner over outer. `spec.<kind>` of a layer applies to tasks of that kind and
 * lies below the layer's plain keys.
 */
export function effectiveSpec(playbook: Playbook, step: Step, task: Task): Layer {
  const ofStep = merged.get(step) ?? new WeakMap<Task, Layer>();
  const known = ofStep.get(task) ?? mergedSpec(playbook, step, task);
  merged.set(step, ofStep.set(task, known));
  return known;
}

/** Playbooks never change, and every attempt asks for its spec. */
const merged = new WeakMap<Step, WeakMap<Task, Layer>>();

function mergedSpec(playbook: Playbook, step: Step, task: Task): Layer {
  const layers = [playbook.executor.spec, step.spec, ...loopLayers(step), task.spec];
  return layers.reduce<Layer>((outer, layer) => mergeLayers(outer, ofKind(layer, task.kind)), {});
}

function loopLayers(step: Step): readonly Layer[] {
  const layers: Layer[] = [];
  for (let loop = step.loop; loop !== undefined; loop = loop.inner) layers.push(loop.spec);
  return layers;
}

/** Keys that every scope may have; any other key of a layer is the name of a kind. */
const PLAIN: ReadonlySet<string> = new Set(INHERITED_SPEC_KEYS);

function ofKind(layer: Layer, kind: string): Layer {
  const plain = Object.fromEntries(Object.entries(layer).filter(([key]) => PLAIN.has(key)));
  const forKind = Object.hasOwn(layer, kind) ? layer[kind] : undefined;
  return isJsonMap(forKind) ? mergeLayers(forKind, plain) : plain;
}

/** Scalars: the inner wins; maps merge; lists replace. Prototypes are never touched: both sides are plain data. */
function mergeLayers(outer: JsonMap, inner: JsonMap): JsonMap {
  const both: Record<string, Json> = { ...outer };
  for (const [key, value] of Object.entries(inner)) {
    const before = Object.hasOwn(outer, key) ? outer[key] : undefined;
    both[key] = isJsonMap(before) && isJsonMap(value) ? mergeLayers(before, value) : value;
  }
  return both;
}

const isJsonMap = (value: Json | undefined): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
