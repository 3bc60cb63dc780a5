import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Json } from '@noetl/playbook';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NatsServer, noNats, startNats } from '../packages/noetl/src/nats-server.testing.ts';
import { noPostgres, type PostgresServer, startPostgres } from '../packages/noetl/src/postgres-server.testing.ts';
import { finishedRun } from './finished-run.testing.ts';
import { root } from './program.testing.ts';
import { openProgramBy, WAYS, type WayProgram } from './ways.testing.ts';

const TIMEOUT = 120_000;

/** What each example must give, by what its own text says; and with another payload, where its comment names one. */
const EXPECTED: Readonly<Record<string, readonly (readonly [settings: readonly string[], result: Json])[]>> = {
  admission: [[[], { done: { email: 'sent', letter: 'posted' }, left_out: ['phone'] }]],
  'best-effort-loop': [[[], { parsed: [12, null, 30, null], sum: 42, failed: 2 }]],
  cycle: [
    // 6, 3, 10, 5, 16, 8, 4, 2, 1
    [[], { first: 6, passes: 8 }],
  ],
  duckdb: [
    [
      [],
      {
        best: 'south',
        regions: [
          { region: 'south', total: 40 },
          { region: 'west', total: 35 },
          { region: "north'); DROP TABLE sales; --", total: 30 },
        ],
      },
    ],
  ],
  'failure-arc': [
    [[], { reserved: false, boundary: 'step.failed', cause: expect.stringContaining('out of stock') }],
    [['stock=5'], { reserved: true, left: 4 }],
  ],
  'fan-out-and-join': [[[], { shipping: 29, customs: 32, insurance: 8, total: 69 }]],
  hello: [
    [[], { greeting: 'Hello, world!' }],
    [['name=Ada'], { greeting: 'Hello, Ada!' }],
  ],
  loop: [
    [
      [],
      {
        measured: [
          { position: 0, word: 'playbook', letters: 8 },
          { position: 1, word: 'token', letters: 5 },
          { position: 2, word: 'arc', letters: 3 },
          { position: 3, word: 'step', letters: 4 },
        ],
        letters: 20,
        longest: 'playbook',
      },
    ],
  ],
  'nested-loops': [
    [[], { by_city: [['0.0 Fjord in Oslo', '0.1 Harbour in Oslo'], ['1.0 Forum in Rome'], []], hotels: 3 }],
  ],
  'pagination-in-loop': [
    [
      [],
      {
        shelves: [
          { shelf: 'poems', pages: 2, titles: ['Odes', 'Sonnets', 'Elegies'] },
          { shelf: 'plays', pages: 3, titles: ['Hamlet', 'Faust', 'Medea', 'Ghosts', 'Salome'] },
          { shelf: 'empty', pages: 1, titles: [] },
        ],
        books: 8,
      },
    ],
  ],
  pagination: [[[], { pages: 3, animals: ['ant', 'bee', 'cat', 'dog', 'eel'] }]],
  'parallel-loop': [
    [[], { weights: [5, 7, 3, 10, 0], total: 25, heaviest: 10, weighed: ['p1', 'p2', 'p3', 'p4', 'p5'] }],
  ],
  'parent-and-children': [[[], { guests: 3, greetings: ['Hello, Ada!', 'Hello, Grace!', 'Hello, Linus!'] }]],
  pipeline: [[[], { articles: ['nail', 'hammer'], net: 20, gross: 24, text: 'Please pay 24.00' }]],
  'result-step': [[[], { median: 5 }]],
  retry: [[[], { answer: 42, text: 'answered at attempt 3' }]],
  routing: [
    [[], { order: 'A-17', desk: 'clerk', reason: '250 is above the automatic limit' }],
    [['amount=5000'], { order: 'A-17', desk: 'director', reason: 'large orders need a signature' }],
  ],
  script: [[[], { exit_code: 0, lines: ['Shopping list (EUR)', 'apples', 'bread', 'tea'] }]],
  shell: [
    [
      [],
      {
        program: 'it\'s "one" value; $HOME',
        lines: ['by name, it\'s "one" value; $HOME', 'by template, it\'s "one" value; $HOME'],
        exit_code: 0,
      },
    ],
  ],
  skip: [
    [[], { to_pay: 80 }],
    [['discount_percent=10'], { to_pay: 72 }],
  ],
  'sub-playbook': [[[], { guest: 'Ada', text: 'Hello, Ada! Come in.' }]],
  timeout: [
    [[], { source: 'cache', price: 99 }],
    [['takes_seconds=0'], { source: 'live', price: 101 }],
  ],
  wait: [[[], { served: 'mint tea' }]],
  workbook: [[[], { night: 24.8, day: 69.8 }]],
  'with-python/transform': [[[], { roof: expect.closeTo(18.9), cellar: 11 }]],
  'with-python/retry': [[[], { answer: 42, attempt: 3 }]],
  'with-python/loop': [
    [
      [],
      {
        factored: [
          { number: 12, factors: [2, 2, 3] },
          { number: 97, factors: [97] },
          { number: 360, factors: [2, 2, 2, 3, 3, 5] },
          { number: 1001, factors: [7, 11, 13] },
        ],
        factors: 13,
      },
    ],
  ],
  'with-postgres/query': [
    [[], { count: 6, numbers: [3, 6, 9, 12, 15, 18], note: "it's a value'; DROP TABLE users; --" }],
    [['limit=5'], { count: 1, numbers: [3], note: "it's a value'; DROP TABLE users; --" }],
  ],
  'with-nats/results-in-nats': [[[], { lines: 5_000, last: 'line 5000 of the report' }]],
  'with-postgres/results-in-postgres': [[['lines=4000'], { lines: 4_000, last: 'line 4000 of the report' }]],
  'with-postgres/bulk-rows': [
    [
      [],
      {
        sensors: [
          { sensor: 'cellar', readings: 1, warmest: 11 },
          { sensor: 'roof', readings: 2, warmest: 20 },
        ],
      },
    ],
  ],
  'with-python/file': [[[], { ada: 17, bob: 3 }]],
  'with-python/limits': [[[], { think: 'too long', remember: 'too much' }]],
  'with-api/minimal': [[[], { status: 200, answer: { pong: true } }]],
  'with-api/retry': [[[], { answer: { answer: 42, calls: 3 }, attempts: 3 }]],
  'with-api/upload': [
    [
      [],
      [
        { name: 'title', value: 'Readings' },
        { name: 'readings', filename: 'readings.csv', type: 'text/csv', size: 31 },
        { name: 'note', filename: 'note.txt', type: 'text/plain', size: 17 },
      ],
    ],
  ],
  'with-api/jump-on-status': [
    [
      [],
      {
        stored: [
          { table: 'items', row: { id: 1, name: 'Assessment 1', score: 0 } },
          { table: 'items', row: { id: 2, name: 'Assessment 2', score: 37 } },
          { table: 'missing_items', row: { id: 404 } },
        ],
        missing: 1,
      },
    ],
  ],
  // 35 rows, whose scores are the multiples of 37 up to 34 · 37, modulo 101; 30 · 37 = 1110 = 10 · 101 + 100.
  'with-api/pagination': [
    [
      [],
      {
        endpoints: [
          { endpoint: 'small_pages', pages: 4, count: 35, best: 100 },
          { endpoint: 'large_pages', pages: 2, count: 35, best: 100 },
        ],
        rows: 70,
      },
    ],
  ],
  // A hotel has as many rooms as its city and itself have letters, four to a page.
  'with-api/nested-pagination': [
    [
      [],
      {
        by_city: [
          [
            { city: 'oslo', hotel: 'fjord', pages: 3, rooms: 9 },
            { city: 'oslo', hotel: 'harbour', pages: 3, rooms: 11 },
          ],
          [{ city: 'rome', hotel: 'forum', pages: 3, rooms: 9 }],
        ],
        rooms: 29,
      },
    ],
  ],
};

function examplesIn(folder: string): string[] {
  return readdirSync(join(root, 'examples', folder))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => join(folder, file.replace('.yaml', '')));
}

describe.each(WAYS)('the examples, by the %s', (way) => {
  let program: WayProgram;
  let api: ChildProcess;
  let url: string;
  let postgres: PostgresServer | undefined;
  let nats: NatsServer | undefined;
  beforeAll(async () => {
    const file = join(root, 'examples/with-api/api.mjs');
    api = spawn(process.execPath, [file, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    url = await firstLine(api);
    if (!noPostgres) postgres = await startPostgres();
    if (!noNats) nats = await startNats();
    program = await openProgramBy(way, {
      ...(postgres === undefined ? {} : { WAREHOUSE_DSN: postgres.url, NOETL_RESULTS_POSTGRES: postgres.url }),
      ...(nats === undefined ? {} : { NOETL_NATS_URL: nats.url }),
    });
  }, TIMEOUT);
  afterAll(async () => {
    api.kill();
    await postgres?.stop();
    await nats?.stop();
    await program.close();
  });

  it('are all expected to give something', () => {
    const names = ['', 'with-api', 'with-nats', 'with-postgres', 'with-python'].flatMap(examplesIn);
    expect(Object.keys(EXPECTED).sort()).toEqual(names.sort());
  });

  const cases = Object.entries(EXPECTED).flatMap(([name, runs]) => runs.map((run) => [name, ...run] as const));
  const missing = [...(noPostgres ? ['with-postgres'] : []), ...(noNats ? ['with-nats'] : [])];
  const [here, elsewhere] = [true, false].map((can) =>
    cases.filter(([name]) => !missing.some((folder) => name.startsWith(folder)) === can),
  );
  it.skip.each(elsewhere ?? [])('%s %j gives what its text says', () => undefined);
  it.concurrent.each(here ?? [])(
    '%s %j gives what its text says',
    { timeout: TIMEOUT },
    async (name, settings, result) => {
      const api = name.startsWith('with-api') ? [`api_url=${url}`] : [];
      const sets = [...settings, ...api].flatMap((setting) => ['--set', setting]);
      const { end } = await finishedRun(program, [join(root, 'examples', `${name}.yaml`), ...sets]);
      expect(end).toMatchObject({ status: 'success', error: null });
      expect(end.result).toEqual(result);
    },
  );

  it('print their result, and nothing else on standard output', { timeout: TIMEOUT }, async () => {
    const file = join(root, 'examples/hello.yaml');
    const { code, stdout } = await program.run(['run', file, '--payload', '-', '--data', program.newData()], {
      input: '{"name": "pipe"}',
    });
    expect({ code, result: JSON.parse(stdout) }).toEqual({ code: 0, result: { greeting: 'Hello, pipe!' } });
  });
});

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the API has no output');
  const [line] = await once(createInterface(stdout), 'line');
  return line;
}
