import { chosenStore, type Layer } from '@noetl/playbook';
import type { ResultSink, StoreProblem } from '../ports/result-store.ts';

/** RES-1: the store that a task's spec wants for its results; the usual one where it says nothing. */
export function chosenResults(results: ResultSink, spec: Layer): ResultSink | StoreProblem {
  const name = chosenStore(spec);
  if (name === undefined || name === results.name) return results;
  return results.named?.(name) ?? { problem: `there is no store '${name}' here` };
}
