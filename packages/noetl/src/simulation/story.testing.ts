import type { ControlInput, SignalInput } from '@noetl/engine';
import type { JsonMap } from '@noetl/playbook';
import { chanceOf, type Dice, dice } from './dice.testing.ts';
import type { Fault, Pressure } from './faults.testing.ts';
import { placed } from './placed-playbook.testing.ts';
import { playbookOf } from './playbook-of.testing.ts';
import { randomChild, randomWorkflow } from './random-workflow.testing.ts';
import { hasCalls, signalsOf, type Workflow } from './workflow.testing.ts';

/** Everything that makes a run of the simulation what it is: the same story always comes out the same. */
export interface Story {
  readonly seed: number;
  readonly workflow: Workflow;
  /** What tasks of kind playbook call. */
  readonly child: Workflow;
  /** How many executions of the workflow there are at the same time. */
  readonly executions: number;
  /** How many processes share the store. Whoever finds an execution without a driver goes on with it. */
  readonly processes: number;
  /** How many pipelines a process runs at a time. */
  readonly slots: number;
  /** Whether a process goes on where its store fails for a while, as a server does; or ends, as a command does. */
  readonly stays: boolean;
  /** How many events one decision may have. */
  readonly eventsPerDecision: number;
  /** Whether requests of a process reach the store in the order in which they were sent. */
  readonly ordered: boolean;
  /** Whether timers of a process come late now and then, while there is trouble. */
  readonly late: boolean;
  readonly controls: readonly Control[];
  /** Workers in processes of their own, and the server that they ask; none if processes do their work themselves. */
  readonly remote?: RemoteStory;
  /** What goes wrong: this, or whatever chance brings. */
  readonly faults: readonly Fault[] | Pressure;
}

export interface RemoteStory {
  readonly workers: readonly WorkerHome[];
  /** How long a lease lasts without a heartbeat, in milliseconds. */
  readonly ttl: number;
  /** What the pools of steps and the places of loops follow from. */
  readonly places: number;
}

/** What a worker is when it comes back, but for now and then. */
export interface WorkerHome {
  readonly pool: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly slots: number;
}

/** What a user does to an execution. */
export interface Control {
  /** Virtual milliseconds from the beginning. */
  readonly at: number;
  readonly execution: number;
  readonly input: ControlInput | SignalInput;
}

export const executionName = (index: number): string => `x${index}`;

/** So many seeds in a row tell of the same workflow, each with its own users, processes and troubles. */
export const TELLINGS = 4;

export function randomStory(seed: number): Story {
  const imagination = dice(chanceOf(Math.ceil(seed / TELLINGS), 1));
  const workflow = randomWorkflow(imagination, 3);
  const child = randomChild(imagination, 2);
  const luck = dice(chanceOf(seed, 22));
  const executions = luck.once(4) ? 2 : 1;
  const quiet: Story = {
    seed,
    workflow,
    child,
    executions,
    processes: luck.pick([1, 1, 2, 2, 3]),
    slots: luck.pick([1, 2, 4, 4]),
    stays: luck.once(2),
    eventsPerDecision: luck.pick([2, 5, 500]),
    ordered: !luck.once(3),
    late: luck.once(3),
    controls: [],
    faults: randomPressure(luck),
  };
  const controls = Array.from({ length: executions }, (_, index) => index).flatMap((index) => [
    ...signals(workflow, index, () => momentIn(luck)),
    ...interference(luck, index),
  ]);
  return { ...quiet, controls };
}

/** The story of a seed with a server and workers instead: one process that drives, and everything else in others. */
export function remoteStory(seed: number): Story {
  const story = randomStory(seed);
  const luck = dice(chanceOf(seed, 23));
  const home = (pool: string, labels: WorkerHome['labels']): WorkerHome => ({
    pool,
    labels,
    slots: luck.between(1, 4),
  });
  const others = luck.once(3) ? [] : [home('default', {})];
  return {
    ...story,
    processes: 1,
    // Now and then a server works itself, too.
    slots: luck.once(4) ? luck.between(1, 2) : 0,
    stays: true,
    remote: {
      workers: [home('default', { zone: 'eu' }), home('gpu', { zone: 'eu' }), ...others],
      ttl: luck.pick([2_500, 5_000, 9_000]),
      places: chanceOf(Math.ceil(seed / TELLINGS), 24),
    },
  };
}

/** The same workflow without anything that goes wrong, or that a user does but for the signals that are waited for. */
export const faultless = ({ workflow, child }: Pick<Story, 'workflow' | 'child'>): Story => ({
  seed: 0,
  workflow,
  child,
  executions: 1,
  processes: 1,
  slots: 4,
  stays: false,
  eventsPerDecision: 500,
  ordered: true,
  late: false,
  controls: signals(workflow, 0, () => 1_000),
  faults: [],
});

function signals(workflow: Workflow, execution: number, moment: () => number): readonly Control[] {
  return signalsOf(workflow).map((name) => ({
    at: moment(),
    execution,
    input: { kind: 'signal', name, payload: payloadOf(name), by: 'ada' },
  }));
}

/** Of some signals it is too large for an event. */
const payloadOf = (name: string): string => `payload of ${name} `.repeat(name.endsWith('7') ? 5_000 : 1);

/** Pauses, each followed by the resume that lifts it, and now and then a cancel. */
function interference(luck: Dice, execution: number): readonly Control[] {
  const control = (at: number, kind: 'pause' | 'resume' | 'cancel'): Control => ({
    at,
    execution,
    input: { kind, reason: `because of ${kind}`, by: 'ada' },
  });
  const pauses = luck.once(4) ? luck.between(1, 2) : 0;
  const lifted = Array.from({ length: pauses }, () => momentIn(luck)).flatMap((at) => [
    control(at, 'pause'),
    control(at + luck.pick([50, 500, 3_000, 9_000]), 'resume'),
  ]);
  return luck.once(4) ? [...lifted, control(momentIn(luck), 'cancel')] : lifted;
}

/** Most things happen early, when there is still something to disturb. */
const momentIn = (luck: Dice): number => luck.roll(luck.pick([40, 400, 4_000, 20_000]));

/**
 * A storm kills processes one after the other. But a crash also mends: whoever follows reads everything anew. So in other
 * stories a store fails now and then, and processes have to live with it.
 */
function randomPressure(luck: Dice): Pressure {
  const reading = luck.pick([8, 20]);
  switch (luck.roll(3)) {
    case 0:
      return { most: luck.pick([10, 40, 80]), crash: luck.pick([40, 1_000]), reading, other: luck.pick([3, 8, 30]) };
    case 1:
      return { most: luck.pick([20, 80, 160]), crash: luck.pick([3, 4, 8]), reading, other: luck.pick([5, 10, 30]) };
    default:
      return { most: luck.pick([160, 320]), crash: luck.pick([2, 2, 3]), reading, other: luck.pick([30, 200]) };
  }
}

/** Whether the result of a story must be that of its faultless form. */
export const isCancelled = ({ controls }: Story, execution: number): boolean =>
  controls.some((control) => control.execution === execution && control.input.kind === 'cancel');

export const workflowsOf = ({ workflow, child }: Story): readonly (readonly [string, Workflow])[] =>
  hasCalls(workflow)
    ? [
        ['main', workflow],
        ['child', child],
      ]
    : [['main', workflow]];

/** The playbooks of a story, as documents, by path. */
export const playbooksOf = (story: Story): readonly (readonly [string, JsonMap])[] =>
  workflowsOf(story).map(([path, workflow], nth) => {
    const playbook = playbookOf(workflow, path);
    return [path, story.remote === undefined ? playbook : placed(playbook, chanceOf(story.remote.places, nth))];
  });
