import type { ExecutionEvent } from '@noetl/engine';
import { chanceOf, dice } from '../../../packages/noetl/src/simulation/dice.testing.ts';
import type { Scenario } from '../scenario.ts';

/** An execution that a server has said that it began. */
export interface StartedOne {
  readonly id: string;
  readonly scenario: Scenario;
  readonly key: string;
  ended: boolean;
}

export interface Load {
  /** Everything that was acknowledged. */
  started(): readonly StartedOne[];
  /** What a server must not answer. */
  problems(): readonly string[];
  /** Starts one more, outside of the load. */
  start(scenario: Scenario): Promise<StartedOne>;
  /** Begins nothing any more; resolves when everything that was begun has ended, or when the patience is over. */
  finish(patience: number): Promise<void>;
}

export interface LoadOptions {
  readonly seed: number;
  readonly scenarios: readonly Scenario[];
  /** The server, as clients reach it. */
  readonly url: string;
  /** What tools call. */
  readonly apiUrl: string;
  /** Executions that are under way at a time. */
  readonly lanes: number;
}

/** How long a client waits for an answer, and until it asks again, in milliseconds. */
const ANSWER = 4_000;
const PAUSE = 200;
const LOOK = 300;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Clients that start executions, send what these wait for, and follow them to their end, over a line that may be bad. */
export function openLoad({ seed, scenarios, url, apiUrl, lanes }: LoadOptions): Load {
  const started: StartedOne[] = [];
  const problems: string[] = [];
  const stop = new AbortController();
  let next = 0;
  let stopping = false;

  /** As long as it takes: who was not answered asks again. */
  async function ask(method: string, path: string, body?: object, key?: string): Promise<Answer> {
    for (;;) {
      stop.signal.throwIfAborted();
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), ANSWER);
      const answer = await fetch(`${url}/api${path}`, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.any([stop.signal, late.signal]),
      })
        .then(async (response) => ({ status: response.status, body: JSON.parse(await response.text()) as unknown }))
        .catch(() => undefined)
        .finally(() => clearTimeout(timer));
      if (answer !== undefined && answer.status < 500) return answer;
      await new Promise((wake) => setTimeout(wake, PAUSE));
    }
  }

  async function begin(scenario: Scenario, key: string): Promise<StartedOne> {
    const path = `chaos/${scenario.name}`;
    const post = async (): Promise<string> => {
      const { status, body } = await ask('POST', '/executions', { path, payload: { api_url: apiUrl } }, key);
      if (status >= 300) problems.push(`the start of ${path} with the key ${key} is refused: ${JSON.stringify(body)}`);
      return (body as { execution_id: string }).execution_id;
    };
    const one: StartedOne = { id: await post(), scenario, key, ended: false };
    started.push(one);
    const again = await post();
    if (again !== one.id) problems.push(`the key ${key} began ${one.id}, and then ${again}`);
    return one;
  }

  async function follow(one: StartedOne): Promise<void> {
    const due = new Set(one.scenario.controls);
    for (let seq = 0; !one.ended; ) {
      const { status, body } = await ask('GET', `/executions/${one.id}/events?after=${seq}`);
      if (status !== 200) {
        problems.push(`the events of ${one.id} are refused: ${JSON.stringify(body)}`);
        return;
      }
      const { events } = body as { readonly events: readonly ExecutionEvent[] };
      for (const event of events) {
        seq = event.seq;
        one.ended ||= event.name === 'playbook.processed';
        for (const control of [...due]) {
          if (!control.at(event)) continue;
          due.delete(control);
          await signal(control.command(one.id));
        }
      }
      if (!one.ended && events.length === 0) await new Promise((wake) => setTimeout(wake, LOOK));
    }
  }

  /** The arguments of `noetl exec signal`, as a request. */
  async function signal([, id = '', name = '', , by = '', , payload = '']: readonly string[]): Promise<void> {
    const { status, body } = await ask('POST', `/executions/${id}/signal`, { name, by, payload: JSON.parse(payload) });
    // Who asks again may come after the end of what was asked for.
    if (status >= 300 && status !== 409)
      problems.push(`the signal ${name} to ${id} is refused: ${JSON.stringify(body)}`);
  }

  async function lane(): Promise<void> {
    while (!stopping) {
      const number = ++next;
      const scenario = dice(chanceOf(seed, number)).pick(scenarios);
      await follow(await begin(scenario, `load-${seed}-${number}`));
    }
  }

  const under = new Set<Promise<void>>();
  const followed = (following: Promise<void>): void => {
    const known = following
      .catch((error: Error) => {
        if (!stop.signal.aborted) problems.push(`a client gave up: ${error.message}`);
      })
      .finally(() => under.delete(known));
    under.add(known);
  };
  for (let nth = 0; nth < lanes; nth++) followed(lane());

  return {
    started: () => started,
    problems: () => problems,
    async start(scenario) {
      const one = await begin(scenario, `extra-${seed}-${++next}`);
      followed(follow(one));
      return one;
    },
    async finish(patience) {
      stopping = true;
      const late = setTimeout(() => stop.abort(), patience);
      while (under.size > 0) await Promise.all(under);
      clearTimeout(late);
    },
  };
}
