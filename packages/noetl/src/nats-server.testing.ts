import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.testing.ts';

/** A NATS of its own with JetStream, in a temporary folder. */
export interface NatsServer {
  readonly url: string;
  readonly port: number;
  /** What it keeps. */
  readonly folder: string;
  /** Ends it at once, as a crash does; what it had on its disk stays. */
  kill(): Promise<void>;
  /** Starts it again where it was. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Debian puts it where only root's PATH leads. */
const PROGRAM = ['nats-server', '/usr/sbin/nats-server', '/usr/local/bin/nats-server'].find(
  (program) => spawnSync(program, ['--version']).status === 0,
);

/** Whether suites that need NATS are left out; with CI=true they are not, and fail. */
export const noNats = PROGRAM === undefined && process.env.CI !== 'true';

/** It ends with its standard input: so it never outlives who started it, however that ends. */
const KEEPER = `
"$0" "$@" >/dev/null 2>&1 &
server=$!
while read -r _; do :; done
kill -KILL $server
wait $server
`;

export async function startNats(options: readonly string[] = []): Promise<NatsServer> {
  const program = PROGRAM;
  if (program === undefined) throw new Error('NATS is not installed (Debian: apt-get install nats-server)');
  const folder = mkdtempSync(join(tmpdir(), 'noetl-nats-'));
  const port = await freePort();
  const start = async (): Promise<ChildProcess> => {
    const args = ['--addr', '127.0.0.1', '--port', String(port), '--jetstream', '--store_dir', folder, ...options];
    // Its own group, so that it sees the end of who started it instead of ending together.
    const keeper = spawn('sh', ['-c', KEEPER, program, ...args], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await untilAnswered(port);
    return keeper;
  };
  let keeper = await start();
  const kill = async (): Promise<void> => {
    if (keeper.exitCode !== null) return;
    const ended = once(keeper, 'exit');
    keeper.stdin?.end();
    await ended;
  };
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    folder,
    kill,
    restart: async () => {
      keeper = await start();
    },
    stop: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** It greets whoever connects once it is ready. */
async function untilAnswered(port: number): Promise<void> {
  for (let tries = 0; ; tries++) {
    const greeted = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      const end = (answered: boolean) => {
        socket.destroy();
        resolve(answered);
      };
      socket.on('data', () => end(true));
      socket.on('error', () => end(false));
    });
    if (greeted) return;
    if (tries > 300) throw new Error(`NATS does not answer on port ${port}`);
    await new Promise((wake) => setTimeout(wake, 50));
  }
}
