import { type ChildProcess, spawn } from 'node:child_process';

/** Remembers the groups it is told of, and kills them when whoever told it is gone. */
const SCRIPT = `
groups=""
while read -r what group; do
  if [ "$what" = + ]; then
    groups="$groups $group"
  else
    kept=""
    for known in $groups; do [ "$known" = "$group" ] || kept="$kept $known"; done
    groups=$kept
  fi
done
for group in $groups; do kill -s KILL -- "-$group"; done
`;

export interface Guardian {
  /** Is there from now on; before the first group is. */
  rise(): void;
  watch(group: number): void;
  forget(group: number): void;
  close(): void;
}

/** A guardian that keeps ending is not made again for ever. */
const MOST = 10;

/**
 * A process group outlives the program if that is killed hard; a small process that holds nothing but a pipe notices
 * and ends the groups then. One that is ended, as by a Ctrl-C in the moment in which it was started, has a successor.
 */
export function openGuardian(): Guardian {
  const groups = new Set<number>();
  let process: ChildProcess | undefined;
  let started = 0;
  let closed = false;

  function rise(): void {
    if (process !== undefined || closed || started === MOST) return;
    started += 1;
    const risen = start();
    process = risen;
    risen.once('exit', () => {
      if (process === risen) process = undefined;
      if (groups.size > 0) rise();
    });
    for (const group of groups) risen.stdin?.write(`+ ${group}\n`);
  }

  return {
    rise,
    watch(group) {
      rise();
      groups.add(group);
      process?.stdin?.write(`+ ${group}\n`);
    },
    forget(group) {
      groups.delete(group);
      process?.stdin?.write(`- ${group}\n`);
    },
    close() {
      closed = true;
      process?.stdin?.end();
    },
  };
}

function start(): ChildProcess {
  const process = spawn('sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, env: {} });
  // Without a shell there is no guardian; everything else works.
  process.on('error', () => undefined);
  process.stdin.on('error', () => undefined);
  process.unref();
  const { stdin } = process;
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  return process;
}
