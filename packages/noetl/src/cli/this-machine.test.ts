import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { thisMachine } from './this-machine.ts';

it('is there itself, and a process of the same number with another start is not', () => {
  expect(thisMachine.isAlive(thisMachine.pid, thisMachine.startedAt)).toBe(true);
  if (existsSync('/proc/self/stat')) expect(thisMachine.isAlive(thisMachine.pid, 'another')).toBe(false);
});

it.runIf(existsSync('/proc/self/stat'))(
  'takes a process that has ended for dead, also before its parent asks',
  async () => {
    // The shell becomes a program that never asks about the child which the shell had started.
    const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [line] = await once(parent.stdout, 'data');
      const pid = Number(String(line).trim());
      const fields = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      await expect.poll(() => fields()[0], { timeout: 20_000 }).toBe('Z');
      expect(thisMachine.isAlive(pid, fields()[19] ?? '')).toBe(false);
    } finally {
      parent.kill('SIGKILL');
    }
  },
);
