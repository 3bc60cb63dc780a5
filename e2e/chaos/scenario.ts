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
  /** How it ends, undisturbed: well, unless this says otherwise. */
  readonly ends?: 'cancelled';
  /** Runs a fork of it, from the first event of this sort. */
  readonly origin?: { readonly at: (event: ExecutionEvent) => boolean };
}

interface Control {
  /** The event that it is time at. */
  readonly at: (event: ExecutionEvent) => boolean;
  /** The arguments of `noetl exec`. */
  readonly command: (id: string) => readonly string[];
}

const scenario = (name: string, span: number, controls: readonly Control[] = []): Scenario => ({
  name,
  span,
  file: join(import.meta.dirname, 'playbooks', `${name}.yaml`),
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

/** Of a server: the same and one whose work is spread over pools. */
export const SERVED: readonly Scenario[] = [...SCENARIOS, scenario('spread', 130)];
/** Work for who has nothing else to do. */
export const RUNG: Scenario = scenario('quiet', 10);

const point = (name: string, more: Partial<Scenario> = {}): Scenario => ({
  name,
  span: 0,
  file: join(import.meta.dirname, 'points', `${name}.yaml`),
  controls: [],
  ...more,
});

const cancelled: Control = {
  at: (event) => event.name === 'task.started' && event.task_label === 'endless',
  command: (id) => ['cancel', id, '--reason', 'chaos'],
};

/** Playbooks to be run on disks that fail. */
export const ON_BAD_DISKS: readonly Scenario[] = [point('large'), point('steps'), point('loop-parallel')];

/** Small playbooks, to die at each of their commits. */
export const POINTS: readonly Scenario[] = [
  point('steps'),
  point('arcs'),
  point('loop-sequential'),
  point('loop-parallel'),
  point('retry'),
  point('pages'),
  point('join'),
  point('child'),
  point('signal', { controls: [signalled('go', '3')] }),
  point('cancel', { controls: [cancelled], ends: 'cancelled' }),
  point('timeout'),
  point('large'),
  point('fork', {
    file: join(import.meta.dirname, 'points', 'loop-sequential.yaml'),
    origin: { at: ({ name }) => name === 'loop.iteration.done' },
  }),
];
