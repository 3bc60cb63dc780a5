import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { isAlive, until } from '../task-call.testing.ts';

const groups = JSON.stringify(pathToFileURL(new URL('./process-groups.ts', import.meta.url).pathname).href);

/** A program that starts a process with a child, and prints who they are. */
const PROGRAM = `
import { openProcessGroups } from ${groups};
const started = openProcessGroups({ kill: process.kill.bind(process) }).start('sh', ['-c', 'sleep 60 & echo $$ $!; wait'], { stdio: 'pipe' });
started.stdout.pipe(process.stdout);
setInterval(() => undefined, 1000);
`;

it('nothing outlives a program that is killed hard', async () => {
  const program = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = (await once(program.stdout, 'data')) as [Buffer];
  const pids = String(printed).trim().split(' ').map(Number);
  expect(pids.map(isAlive)).toEqual([true, true]);
  program.kill('SIGKILL');
  await until(() => !pids.some(isAlive));
});
