import { fileURLToPath } from 'node:url';
import type { Playbook } from '@noetl/playbook';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../tools/task-call.testing.ts';
import {
  type Disturbance,
  type DisturbedRun,
  disturbedRun,
  type MarkedTools,
  openMarkedTools,
  timed,
} from './controlled-everywhere.testing.ts';

const EXAMPLES = fileURLToPath(new URL('../../../../examples/', import.meta.url));
/** How many executions run beside each other. */
const AT_ONCE = 8;

const FIVE = [
  ['loop', 'loop.yaml'],
  ['retry', 'retry.yaml'],
  ['pagination', 'pagination.yaml'],
  ['join', 'fan-out-and-join.yaml'],
  ['child', 'sub-playbook.yaml'],
] as const;

describe.each(FIVE)('an execution with a %s that is disturbed at each of its events (ENG-14)', (_, file) => {
  let tools: MarkedTools;
  let undisturbed: DisturbedRun;
  let handles: readonly string[];
  beforeAll(async () => {
    handles = openHandles();
    tools = openMarkedTools();
    undisturbed = await disturbedRun({ file: `${EXAMPLES}${file}` }, tools, { at: 1, act: async () => undefined });
    expect(undisturbed.end.status).toBe('success');
  });
  afterAll(async () => {
    await tools.close();
    expect(tools.processes()).toEqual([]);
    // A process that has ended is closed a moment later.
    await until(() => openHandles().length <= handles.length);
  });

  /** Disturbs an execution at every event that it has if nobody does, a few at a time. */
  async function everywhere(
    act: Disturbance['act'],
    change: (playbook: Playbook) => Playbook = (playbook) => playbook,
  ): Promise<readonly DisturbedRun[]> {
    const runs: DisturbedRun[] = [];
    const seqs = undisturbed.events.map(({ seq }) => seq);
    const next = async (): Promise<void> => {
      for (let seq = seqs.shift(); seq !== undefined; seq = seqs.shift()) {
        runs.push(await disturbedRun({ file: `${EXAMPLES}${file}`, change }, tools, { at: seq, act }));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    expect(runs.length).toBe(undisturbed.events.length);
    return runs;
  }

  const ended = ({ end: { status, result, error } }: DisturbedRun) => ({ status, result, error });

  it('is cancelled, with its children', async () => {
    const refused: number[] = [];
    const runs = await everywhere(async (world) => {
      if (!(await world.submit({ kind: 'cancel', reason: 'enough', by: 'ada' }))) refused.push(1);
    });
    const cancelled = runs.filter(({ end }) => end.status === 'cancelled');
    for (const { end, events, children } of cancelled) {
      expect(end).toMatchObject({ error: { kind: 'cancelled', message: 'the execution was cancelled: enough' } });
      const names = events.map(({ name }) => name);
      const after = names.slice(names.indexOf('playbook.cancel.requested') + 1);
      // A request that is cancelled before it was evaluated still says what it was.
      const first = after.filter((name) => name !== 'playbook.request.evaluated' && name !== 'workflow.started');
      expect(first).toEqual(['workflow.finished', 'playbook.processed']);
      for (const child of children) expect(child.status).toMatch(/cancelled|success/);
    }
    // What was over could not be cancelled, and ended as ever.
    const others = runs.filter(({ end }) => end.status !== 'cancelled');
    expect(others.map(ended)).toEqual(refused.map(() => ended(undisturbed)));
    expect(refused.length).toBeLessThanOrEqual(2);
    const children = runs.flatMap((run) => run.children.map(({ status }) => status));
    if (undisturbed.children.length > 0) expect(children).toContain('cancelled');
  });

  it('is paused, schedules and leases nothing until it is resumed, and ends as ever', async () => {
    const runs = await everywhere(async (world) => {
      if (!(await world.submit({ kind: 'pause', reason: null, by: null }))) return;
      await world.calm();
      await world.submit({ kind: 'resume', reason: null, by: null });
    });
    for (const run of runs) {
      expect(ended(run)).toEqual(ended(undisturbed));
      const names = run.events.map(({ name }) => name);
      const pause = names.indexOf('playbook.paused');
      const paused = names.slice(pause + 1, names.indexOf('playbook.resumed'));
      for (const name of ['step.scheduled', 'loop.started'] as const) {
        if (pause >= 0) expect(paused).not.toContain(name);
      }
    }
  });

  const passTime: Disturbance['act'] = async (world) => world.pass();

  it('fails with timeout.execution when its time is over (DOC-14)', async () => {
    const runs = await everywhere(passTime, timed.execution);
    const late = runs.filter(({ end }) => end.status === 'error');
    for (const { end, children } of late) {
      expect(end.error).toMatchObject({ kind: 'timeout.execution' });
      for (const child of children) expect(child.status).toMatch(/cancelled|success|error/);
    }
    for (const run of runs) if (run.end.status !== 'error') expect(ended(run)).toEqual(ended(undisturbed));
    expect(late.length).toBeGreaterThan(runs.length / 2);
  });

  it('fails with timeout.step when the time of a step is over (DOC-14)', async () => {
    const runs = await everywhere(passTime, timed.step);
    const late = runs.filter(({ end }) => end.status === 'error');
    for (const { end } of late) expect(end.error).toMatchObject({ kind: 'timeout.step' });
    for (const run of runs) if (run.end.status !== 'error') expect(ended(run)).toEqual(ended(undisturbed));
    expect(late.length).toBeGreaterThan(0);
  });

  it('fails with timeout, or tries again, when the time of a task is over (DOC-14)', async () => {
    const runs = await everywhere(passTime, timed.task);
    for (const run of runs) {
      if (run.end.status === 'error') expect(run.end.error).toMatchObject({ kind: 'timeout' });
      else expect(ended(run)).toEqual(ended(undisturbed));
    }
  });
});

/** What would keep a process alive, but for what the test itself uses. */
const openHandles = (): readonly string[] =>
  process
    .getActiveResourcesInfo()
    .filter((kind) => kind === 'ProcessWrap' || kind === 'TCPSocketWrap' || kind === 'TCPServerWrap')
    .sort();
