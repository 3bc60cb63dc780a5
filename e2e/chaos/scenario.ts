import { join } from 'node:path';
import type { ExecutionEvent } from '@noetl/engine';

/** A playbook that is run again and again while its process dies. */
export interface Scenario {
  readonly name: string;
  readonly file: string;
  /** About how many events it prints, undisturbed. */
  readonly span: number;
  /** What other processes ask of the execution, each once, when it has come so far. */
  readonly controls: readonly Control[];
}

interface Control {
  /** The event that it is time at. */
  readonly at: (event: ExecutionEvent) => boolean;
  /** The arguments of `noetl exec`. */
  readonly command: (id: string) => readonly string[];
}

const folder = join(import.meta.dirname, 'playbooks');

const scenario = (name: string, span: number, controls: readonly Control[] = []): Scenario => ({
  name,
  span,
  file: join(folder, `${name}.yaml`),
  controls,
});

/** Sent when a task waits for it. */
const signalled = (name: string, payload: string): Control => ({
  at: (event) => event.name === 'task.waiting' && event.payload.name === name,
  command: (id) => ['signal', id, name, '--by', 'chaos', '--payload', payload],
});

/** Playbooks to be killed at random moments. */
export const SCENARIOS: readonly Scenario[] = [
  scenario('pages', 160),
  scenario('family', 130),
  scenario('patience', 30, [signalled('go', '{"n": 7}'), signalled('release', '{"approved": true}')]),
  scenario('branches', 60),
];
