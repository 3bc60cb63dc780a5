import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../packages/noetl/dist/bundle/main.js', import.meta.url));

/** A server without a worker inside, and workers, each a process of its own, as people have them. */
export interface Served {
  readonly pid: number;
  register(playbook: string): Promise<void>;
  start(path: string): Promise<string>;
  signal(execution: string, name: string): Promise<void>;
  /** Follows an execution by its live events; answers with what it ended as. */
  follow(execution: string): Promise<EndPayload>;
  /** The same by looking from time to time, which costs the server less where there is much to tell. */
  end(execution: string): Promise<EndPayload>;
  events(execution: string): Promise<readonly LoggedEvent[]>;
  /** How many milliseconds a GET takes. */
  look(path: string): Promise<number>;
  /** A figure of `/metrics`; all its labels together unless it is named with one. */
  metric(name: string): Promise<number>;
  /** Once no execution is under way any more. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

interface LoggedEvent {
  readonly name: string;
  readonly timestamp: string;
  readonly step_run_id?: string;
  readonly payload: unknown;
}

export interface EndPayload {
  readonly status: string;
  readonly error: unknown;
  readonly stats: { readonly duration_ms: number };
}

/** How often it is looked whether something has ended, in milliseconds. */
const LOOK = 20;

export async function openServed(workers: number, slots: number): Promise<Served> {
  const data = await mkdtemp(join(tmpdir(), 'noetl-bench-'));
  const children: ChildProcess[] = [];
  const agent = new Agent({ keepAlive: true });

  async function started(args: readonly string[]): Promise<unknown> {
    const child = spawn(process.execPath, [PROGRAM, ...args, '--json', '--log-level', 'warn'], {
      // The bench asks more often than a caller may.
      env: { ...process.env, NOETL_API_RATE: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    for await (const line of createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> })) {
      return JSON.parse(line);
    }
    throw new Error(`the program of the bench failed: noetl ${args.join(' ')}`);
  }

  async function close(): Promise<void> {
    agent.destroy();
    for (const child of children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(data, { recursive: true, force: true });
  }

  let base = '';
  const asked = (method: string, path: string, body?: object): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      request(`${base}${path}`, { method, agent, headers }, (answer) => {
        text(answer).then((said) => {
          if ((answer.statusCode ?? 500) < 300) resolve(said);
          else reject(new Error(`${method} ${path}: ${said}`));
        }, reject);
      })
        .on('error', reject)
        .end(body === undefined ? undefined : JSON.stringify(body));
    });
  const ask = async (method: string, path: string, body?: object) => JSON.parse(await asked(method, path, body));

  async function metric(name: string): Promise<number> {
    const lines = (await asked('GET', '/metrics')).split('\n');
    const own = lines.filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
    return own.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  async function eventsFrom(execution: string, after: number): Promise<readonly LoggedEvent[]> {
    return (await ask('GET', `/api/executions/${execution}/events?after=${after}&limit=500`)).events;
  }

  async function until(holds: () => Promise<boolean>): Promise<void> {
    while (!(await holds())) await setTimeout(LOOK);
  }

  try {
    const told = await started(['server', 'start', '--port', '0', '--data', data, '--no-worker', '--drain', '1']);
    const { url, pid } = told as { url: string; pid: number };
    base = url;
    const worker = ['worker', 'start', '--server', url, '--slots', `${slots}`, '--drain', '1'];
    await Promise.all(Array.from({ length: workers }, () => started(worker)));
    await until(async () => (await metric('noetl_workers')) === workers);
    return {
      pid,
      register: async (playbook) => {
        await asked('POST', '/api/catalog', { text: playbook });
      },
      start: async (path) => (await ask('POST', '/api/executions', { path })).execution_id,
      signal: async (execution, name) => {
        await asked('POST', `/api/executions/${execution}/signal`, { name });
      },
      async follow(execution) {
        const live = await asked('GET', `/api/executions/${execution}/live`);
        const last = live.slice(live.lastIndexOf('\ndata: ') + '\ndata: '.length);
        return JSON.parse(last).payload;
      },
      async end(execution) {
        let seq = 0;
        await until(async () => {
          const { ended_at, events } = await ask('GET', `/api/executions/${execution}`);
          seq = events;
          return ended_at !== null;
        });
        return (await eventsFrom(execution, seq - 1))[0]?.payload as EndPayload;
      },
      events: (execution) => eventsFrom(execution, 0),
      async look(path) {
        const began = performance.now();
        await asked('GET', path);
        return performance.now() - began;
      },
      metric,
      idle: () => until(async () => (await ask('GET', '/api/ready')).executions === 0),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
