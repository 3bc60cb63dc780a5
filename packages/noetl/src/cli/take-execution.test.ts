import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Drivers } from '../ports/drivers.ts';
import { createMemoryStore } from '../stores/memory/store.ts';
import { systemClock } from './system-clock.ts';
import { takeExecution } from './take-execution.ts';

const LONG = 60_000;

describe('an execution that is to be taken', () => {
  let drivers: Drivers;
  const alive = new Set<number>();
  const machine = { isAlive: (pid: number) => alive.has(pid) };
  const take = () => takeExecution('self', 'x', drivers, machine);
  const drive = async (id: string, pid: number) => {
    alive.add(pid);
    await drivers.beat({ id, pid, startedAt: 'then' }, LONG);
    await drivers.drive(id, ['x']);
  };
  beforeEach(async () => {
    ({ drivers } = createMemoryStore(systemClock));
    alive.clear();
    alive.add(1);
    await drivers.beat({ id: 'self', pid: 1, startedAt: 'then' }, LONG);
  });

  it('is taken if nobody drives it, and not if somebody drives it to its end', async () => {
    expect(await take()).toBe('taken');
    await drivers.leave('self', ['x']);
    await drive('other', 2);
    expect(await take()).toBe('refused');
  });

  it('is waited for while somebody decides an input of it', async () => {
    await drive('moment-one', 2);
    const taking = take();
    expect(await Promise.race([taking, sleep(60, 'still waits')])).toBe('still waits');
    await drivers.retire('moment-one');
    expect(await taking).toBe('taken');
  });

  it('is taken over from somebody who died while deciding an input', async () => {
    await drive('moment-one', 2);
    const taking = take();
    alive.delete(2);
    expect(await taking).toBe('taken over');
  });
});
