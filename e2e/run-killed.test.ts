import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ExecutionEvent } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finishedRun } from './finished-run.testing.ts';
import { type LocalApi, openLocalApi } from './local-api.testing.ts';
import { openProgram, type Program } from './program.testing.ts';
import { intactExecutions } from './stored-log.testing.ts';

const TIMEOUT = 300_000;
const KILLS = 50;
/** Executions that are killed again and again beside each other. */
const CHAINS = 2;
const SEED = 20_251_115;

const SHELVES = ['a', 'b', 'c', 'd', 'e', 'f'];
const PAGES = 3;

/** Pages within a parallel loop, of an API that fails every other time; then a loop of programs; then Python. */
const PLAYBOOK = `
workload: { api_url: "", ledger: "", shelves: [${SHELVES}] }
workflow:
  - step: start
    next: { arcs: [{ step: read }] }
  - step: read
    loop: { in: "{{ workload.shelves }}", iterator: shelf, spec: { mode: parallel, max_in_flight: 2 } }
    tool:
      - first_page:
          kind: noop
          spec: { policy: { rules: [{ else: { then: { do: continue, set_iter: { page: 1, books: [] } } } }] } }
      - fetch:
          kind: http
          url: "{{ workload.api_url }}/{{ iter.shelf }}"
          params: { page: "{{ iter.page }}" }
          spec:
            policy:
              rules:
                - when: "{{ outcome.status == 'error' }}"
                  then: { do: retry, attempts: 100, delay: 0.02 }
                - else:
                    then:
                      do: continue
                      set_iter:
                        books: "{{ iter.books + [outcome.result.data.book] }}"
                        has_more: "{{ outcome.result.data.has_more }}"
      - note:
          kind: shell
          env: { LEDGER: "{{ workload.ledger }}", LINE: "note {{ iter.shelf }} {{ iter.page }}" }
          cmds: ['echo "$LINE $NOETL_IDEMPOTENCY_KEY" >> "$LEDGER"']
      - turn_page:
          kind: noop
          result: "{{ iter.books }}"
          spec:
            policy:
              rules:
                - when: "{{ iter.has_more }}"
                  then: { do: jump, to: fetch, set_iter: { page: "{{ iter.page + 1 }}" } }
                - else:
                    then:
                      do: break
                      set_shared: { read: { reduce: sum, value: "{{ iter.books | length }}" } }
    next: { arcs: [{ step: bind }] }
  - step: bind
    loop: { in: "{{ results.read }}", iterator: books, spec: { mode: sequential } }
    tool:
      - print:
          kind: shell
          env: { LEDGER: "{{ workload.ledger }}", LINE: "bind {{ iter.index }}" }
          cmds: ['echo "$LINE $NOETL_IDEMPOTENCY_KEY" >> "$LEDGER"', 'echo "bound"']
      - report: { kind: noop, result: "{{ iter.index }} {{ iter.books | join(' ') }} {{ _prev.stdout | trim }}" }
    next: { arcs: [{ step: sum }] }
  - step: sum
    tool:
      - add:
          kind: python
          args: { bound: "{{ results.bind }}", read: "{{ ctx.read }}" }
          code: "result = {'read': read, 'bound': bound}"
`;

const EXPECTED: Json = {
  read: SHELVES.length * PAGES,
  bound: SHELVES.map((shelf, index) => `${index} ${shelf}1 ${shelf}2 ${shelf}3 bound`),
};
/** Every body with an effect outside, by what it writes. */
const BODIES = [
  ...SHELVES.flatMap((shelf) => Array.from({ length: PAGES }, (_, nth) => `note ${shelf} ${nth + 1}`)),
  ...SHELVES.map((_, index) => `bind ${index}`),
];

describe('an execution whose process is killed', () => {
  let program: Program;
  let api: LocalApi;
  beforeAll(async () => {
    program = openProgram();
    api = await openLocalApi(({ path, query }, nth) => {
      const page = Number(query.get('page'));
      if (nth % 2 === 0) return { status: 503, body: {} };
      return { body: { book: `${path.slice(1)}${page}`, has_more: page < PAGES } };
    });
  });
  afterAll(async () => {
    await api.close();
    await program.close();
  });

  it('gives undisturbed what it is expected to give', { timeout: TIMEOUT }, async () => {
    const file = program.playbook('undisturbed', PLAYBOOK);
    const ledger = join(program.folder, 'undisturbed.ledger');
    const sets = ['--set', `api_url=${api.url}`, '--set', `ledger=${ledger}`];
    const { end } = await finishedRun(program, [file, ...sets]);
    expect(end).toMatchObject({ status: 'success', result: EXPECTED });
    expect(linesOf(ledger).map(bodyOf).sort()).toEqual([...BODIES].sort());
  });

  it(`gives the same after kill -9 at ${KILLS} random moments, and no body is lost`, { timeout: TIMEOUT }, async () => {
    const random = randomNumbers(SEED);
    let kills = 0;
    const killing: Killing = { random, left: () => KILLS - kills, killed: () => ++kills };
    let names = 0;
    const chain = async (): Promise<void> => {
      while (kills < KILLS) await killedExecution(`killed_${++names}`, killing);
    };
    await Promise.all(Array.from({ length: CHAINS }, chain));
    expect(kills).toBeGreaterThanOrEqual(KILLS);
  });

  /** One execution from its request to its end, killed as often as there are kills left. */
  async function killedExecution(name: string, { random, left, killed }: Killing): Promise<void> {
    const data = program.newData();
    const ledger = join(program.folder, `${name}.ledger`);
    const file = program.playbook(name, PLAYBOOK);
    const request = [file, '--set', `api_url=${api.url}`, '--set', `ledger=${ledger}`];
    let id: string | undefined;
    for (let over = false; !over; ) {
      const child = program.start([
        'run',
        ...(id === undefined ? request : ['--resume', id]),
        '--data',
        data,
        '--json',
      ]);
      const doomed = left() > 0 ? killSomewhen(child, random) : undefined;
      const { code, signal, stdout, stderr } = await program.end(child);
      doomed?.forget();
      expect(stderr).toBe('');
      const events = wholeEvents(stdout);
      id ??= events[0]?.execution_id ?? (await intactExecutions(program, data, { shown: false }))[0]?.id;
      over = signal === null;
      if (!over) killed();
      if (over) expect({ code, last: events.at(-1)?.name }).toEqual({ code: 0, last: 'playbook.processed' });
    }
    const executions = await intactExecutions(program, data);
    expect(executions.map((execution) => execution.id)).toEqual([id]);
    const last = executions[0]?.events.at(-1);
    expect(last).toMatchObject({ name: 'playbook.processed', payload: { status: 'success', result: EXPECTED } });
    // At least once, and by its key any other system can tell that it was once.
    const lines = linesOf(ledger);
    expect([...new Set(lines.map(bodyOf))].sort()).toEqual([...BODIES].sort());
    expect(new Set(lines).size).toBe(BODIES.length);
  }
});

interface Killing {
  random(): number;
  left(): number;
  killed(): void;
}

/**
 * Ends the process at once, at a moment that does not depend on how fast the machine is: some milliseconds after some
 * event was printed, or before there was any.
 */
function killSomewhen(child: ChildProcess, random: () => number): { forget(): void } {
  const events = Math.floor(random() * 70) - 5;
  const delay = random() * (events > 0 ? 30 : 400);
  let timer: NodeJS.Timeout | undefined;
  const kill = () => {
    timer ??= setTimeout(() => child.kill('SIGKILL'), delay);
  };
  if (events <= 0) kill();
  let seen = 0;
  if (child.stdout !== null) {
    createInterface(child.stdout).on('line', () => {
      if (++seen === events) kill();
    });
  }
  return { forget: () => clearTimeout(timer) };
}

/** What a killed process printed may end in the middle of a line. */
const wholeEvents = (output: string): ExecutionEvent[] =>
  output
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').trimEnd().split('\n');

/** A line without its key. */
const bodyOf = (line: string): string => line.split(' ').slice(0, -1).join(' ');

/** Mulberry32: the same numbers for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
