import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

interface ToldEvent {
  readonly name: string;
  readonly seq: number;
  readonly payload: unknown;
}

interface ToldEnd {
  readonly status: string;
  readonly result: unknown;
  readonly error: unknown;
}

/** What tests ask a server. */
export interface ServerCalls {
  register(text: string): Promise<void>;
  playbook(path: string): Promise<{ readonly content_hash: string }>;
  start(path: string): Promise<string>;
  cancel(execution: string): Promise<void>;
  events(execution: string): Promise<readonly ToldEvent[]>;
  /** How the execution ended, once it has. */
  end(execution: string): Promise<ToldEnd>;
  workers(): Promise<readonly { readonly name: string; readonly pool: string }[]>;
}

/** How long something that must happen may take on a busy machine, in milliseconds. */
const PATIENCE = 60_000;

export async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const begun = Date.now(); !(await holds()); ) {
    if (Date.now() - begun > PATIENCE) throw new Error('what was waited for does not happen');
    await new Promise((wake) => setTimeout(wake, 50));
  }
}

/** The first line that a program prints, as JSON. */
export async function firstLine(child: ChildProcess): Promise<unknown> {
  if (child.stdout === null) throw new Error('the program has no output');
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line);
  throw new Error('the program has printed nothing');
}

/** Also of a program that has ended already. */
export async function exitCode(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

export function openServerCalls(url: string, token?: string): ServerCalls {
  async function ask(method: string, path: string, body?: object): Promise<unknown> {
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${url}/api${path}`, { method, headers, ...sent });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  async function events(execution: string): Promise<readonly ToldEvent[]> {
    const all: ToldEvent[] = [];
    for (;;) {
      const after = all.at(-1)?.seq ?? 0;
      const page = (await ask('GET', `/executions/${execution}/events?after=${after}`)) as {
        events: readonly ToldEvent[];
        next: number | null;
      };
      all.push(...page.events);
      if (page.next === null || page.events.length === 0) return all;
    }
  }

  return {
    register: async (text) => {
      await ask('POST', '/catalog', { text });
    },
    playbook: async (path) => (await ask('GET', `/catalog/${encodeURIComponent(path)}`)) as { content_hash: string },
    start: async (path) => ((await ask('POST', '/executions', { path })) as { execution_id: string }).execution_id,
    cancel: async (execution) => {
      await ask('POST', `/executions/${execution}/cancel`, {});
    },
    events,
    async end(execution) {
      let end: ToldEnd | undefined;
      await until(async () => {
        const last = (await events(execution)).at(-1);
        if (last?.name === 'playbook.processed') end = last.payload as ToldEnd;
        return end !== undefined;
      });
      return end as ToldEnd;
    },
    workers: async () => ((await ask('GET', '/workers')) as { workers: { name: string; pool: string }[] }).workers,
  };
}
