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
  watch(group: number): void;
  forget(group: number): void;
  close(): void;
}

/**
 * A process group outlives the program if that is killed hard; a small process that holds nothing but a pipe notices
 * and ends the groups then.
 */
export function openGuardian(): Guardian {
  let process: ChildProcess | undefined;
  const tell = (line: string) => {
    process ??= start();
    process.stdin?.write(line);
  };
  return {
    watch: (group) => tell(`+ ${group}\n`),
    forget: (group) => tell(`- ${group}\n`),
    close: () => {
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
