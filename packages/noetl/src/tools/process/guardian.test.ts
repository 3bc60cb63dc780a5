import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { isAlive, until } from '../task-call.testing.ts';

const groups = JSON.stringify(pathToFileURL(new URL('./process-groups.ts', import.meta.url).pathname).href);

/** A program that starts a process with a child, and prints who they are. */
const programOf = (child: string) => `
import { openProcessGroups } from ${groups};
const started = openProcessGroups({ kill: process.kill.bind(process) }).start('sh', ['-c', '${child} & echo $$ $!; wait'], { stdio: 'pipe' });
started.stdout.pipe(process.stdout);
setInterval(() => undefined, 1000);
`;

async function startProgram(
  child = 'sleep 60',
): Promise<{ readonly program: ChildProcess; readonly pids: readonly number[] }> {
  const program = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', programOf(child)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = (await once(program.stdout, 'data')) as [Buffer];
  const pids = String(printed).trim().split(' ').map(Number);
  expect(pids.map(isAlive)).toEqual([true, true]);
  return { program, pids };
}

it('nothing outlives a program that is killed hard', async () => {
  const { program, pids } = await startProgram();
  program.kill('SIGKILL');
  await until(() => !pids.some(isAlive));
});

it.runIf(process.platform === 'linux')('nor what made itself a group of its own', async () => {
  const { program, pids } = await startProgram('setsid sleep 60');
  program.kill('SIGKILL');
  await until(() => !pids.some(isAlive));
});

it.runIf(process.platform === 'linux')('nor if whoever watches over it was ended before', async () => {
  const { program, pids } = await startProgram();
  const [first = 0] = guardiansOf(program);
  expect(first).toBeGreaterThan(0);
  // As by a Ctrl-C that reaches it before it has a process group of its own.
  process.kill(first, 'SIGINT');
  await until(() => guardiansOf(program).some((pid) => pid !== first));
  program.kill('SIGKILL');
  await until(() => !pids.some(isAlive));
});

function guardiansOf({ pid }: ChildProcess): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const guards = readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('groups=""');
      return guards && state !== 'Z' && Number(parent) === pid ? [Number(name)] : [];
    } catch {
      // It has ended, or is no process.
      return [];
    }
  });
}
