import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Remembers the groups it is told of, and kills them when whoever told it is gone; and, where the system shows what
 * processes inherited (Linux), those that left their group.
 */
const SCRIPT = `
groups=""
while read -r what group mark; do
  if [ "$what" = + ]; then
    groups="$groups $group:$mark"
  else
    kept=""
    for known in $groups; do [ "\${known%%:*}" = "$group" ] || kept="$kept $known"; done
    groups=$kept
  fi
done
for known in $groups; do
  kill -s KILL -- "-\${known%%:*}"
  set -- "$@" -e "\${known#*:}"
done
[ $# -eq 0 ] && exit
for round in 1 2 3 4 5; do
  found=$(grep -laF "$@" /proc/[0-9]*/environ)
  [ -n "$found" ] || exit
  for file in $found; do
    pid=\${file#/proc/}
    kill -s KILL "\${pid%/environ}"
  done
done
`;

export interface Guardian {
  /** Is there from now on; before the first group is. */
  rise(): void;
  /** The mark is what everything that the group starts inherits, `NAME=value`. */
  watch(group: number, mark: string): void;
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
  const groups = new Map<number, string>();
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
    for (const [group, mark] of groups) risen.stdin?.write(`+ ${group} ${mark}\n`);
  }

  return {
    rise,
    watch(group, mark) {
      rise();
      groups.set(group, mark);
      process?.stdin?.write(`+ ${group} ${mark}\n`);
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
