import { expect, it } from 'vitest';
import { StoreError } from '../ports/store-error.ts';
import { dice } from './dice.testing.ts';
import { createFaults, type Fault, type FaultKind } from './faults.testing.ts';
import { ALIVE, type SimulatedProcess, startProcess } from './process.testing.ts';
import { createSchedule } from './schedule.testing.ts';

interface Happened {
  /** How often what was asked for was done. */
  readonly applied: number;
  readonly answer: unknown;
  /** Virtual milliseconds until the answer. */
  readonly after: number;
  readonly state: SimulatedProcess['state'];
  readonly stopped: boolean;
}

/** A process that asks for one thing. */
async function asking(faults: readonly Fault[], { late = false, waits = 0, seed = 1 } = {}): Promise<Happened> {
  const schedule = createSchedule(0, dice(1));
  let applied = 0;
  let answer: unknown;
  let after = 0;
  let stopped = false;
  const process = startProcess({
    start: 1,
    seed,
    ordered: true,
    late,
    schedule,
    faults: createFaults(faults, 1),
    nextCall: () => 1,
    note: () => undefined,
    died: () => undefined,
    stalled: () => undefined,
    belated: () => undefined,
    stop: () => {
      stopped = true;
    },
  });
  const answered = (given: unknown): void => {
    answer = given;
    after = schedule.now();
  };
  const apply = async (): Promise<number> => {
    applied += 1;
    return applied;
  };
  if (waits > 0) process.clock.at(waits, () => answered('woken'));
  else process.call({ operation: 'append', what: 'log.append', apply }).then(answered, answered);
  do await new Promise((wake) => setImmediate(wake));
  while (schedule.step());
  return { applied, answer, after, state: process.state, stopped };
}

const befallen = (kind: FaultKind): Promise<Happened> => asking([{ call: 1, kind }]);

it('a call that nothing befalls happens once, and is answered soon', async () => {
  expect(await asking([])).toMatchObject({ applied: 1, answer: 1, state: 'alive', stopped: false });
});

it('a crash before a commit leaves nothing behind, and nobody is told', async () => {
  expect(await befallen('crash before')).toMatchObject({ applied: 0, answer: undefined, state: 'dead' });
});

it('a crash after a commit leaves it behind, and nobody is told', async () => {
  expect(await befallen('crash after')).toMatchObject({ applied: 1, answer: undefined, state: 'dead' });
});

it('a disk that cannot do it says so', async () => {
  const { applied, answer } = await befallen('refused');
  expect(applied).toBe(0);
  expect(answer).toBeInstanceOf(StoreError);
});

it('a commit with an unknown outcome has happened, and looks as if it had not', async () => {
  const { applied, answer } = await befallen('unknown');
  expect(applied).toBe(1);
  expect(answer).toBeInstanceOf(StoreError);
});

it('what arrives twice happens twice, and has the second answer', async () => {
  expect(await befallen('twice')).toMatchObject({ applied: 2, answer: 2 });
});

it('a late answer comes after a second or more', async () => {
  const { answer, after } = await befallen('slow');
  expect(answer).toBe(1);
  expect(after).toBeGreaterThanOrEqual(1_000);
});

it('a process that stands still is told only after it counts as dead', async () => {
  const { answer, after } = await befallen('stall');
  expect(answer).toBe(1);
  expect(after).toBeGreaterThan(ALIVE);
});

it('a process can be asked to stop in the middle', async () => {
  expect(await befallen('stop')).toMatchObject({ applied: 1, answer: 1, stopped: true });
});

it('timers come late where a story says so, and while there is trouble', async () => {
  const trouble: readonly Fault[] = [{ call: 9, kind: 'slow' }];
  const delays: number[] = [];
  for (let seed = 1; seed <= 40; seed++) delays.push((await asking(trouble, { late: true, waits: 5, seed })).after - 5);
  expect(Math.min(...delays)).toBe(0);
  expect(Math.max(...delays)).toBeGreaterThan(100);
  expect((await asking(trouble, { waits: 5 })).after).toBe(5);
});
