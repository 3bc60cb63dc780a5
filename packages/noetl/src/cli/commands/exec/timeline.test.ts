import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { record } from '../../views/recorded.testing.ts';
import { recordFailure, recordWeather } from '../../views/weather.testing.ts';
import { openStoredExecutions, type StoredExecutions } from './stored-executions.testing.ts';

/** A name that would steer a terminal, close an element or an attribute. */
const HOSTILE = '\u001b[2J</title><script>alert("1")</script>\'&\u202e';

const HOSTILE_STEPS = `workflow:
  - step: start
    next: { arcs: [{ step: ${JSON.stringify(HOSTILE)} }] }
  - step: ${JSON.stringify(HOSTILE)}
    tool: [{ name: ${JSON.stringify(HOSTILE)}, kind: noop }]
`;

const CYCLE = `workflow:
  - step: start
    tool: { kind: noop }
    next: { arcs: [{ step: start, when: "{{ (args.n or 0) < 30 }}", args: { n: "{{ (args.n or 0) + 1 }}" } }] }
`;

describe('exec timeline', () => {
  let stored: StoredExecutions;
  beforeAll(async () => {
    stored = openStoredExecutions();
    await stored.keep('weather', recordWeather());
    await stored.keep('failed', recordFailure());
    await stored.keep('hostile', record(HOSTILE_STEPS));
    await stored.keep('cycle', record(CYCLE, { tools: { 'start.task_1': () => ({ ms: 1000 }) } }));
    await stored.keep('waits', record('workflow: [{ step: start, tool: { kind: wait, for: signal, name: go } }]'));
  });
  afterAll(() => stored.close());

  it('charts attempts, failed ones, retries, waits and loops', async () => {
    const { stdout, exitCode } = await stored.exec(['timeline', 'weather']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "weather demo/weather success after 15.8 s

                 |0                       |10 s
      start      ▒↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻███             11.3 s  1 retry, waited 10.…
      measure                               ████████████   4.5 s  3/3, 1 failed
      publish                                          ▒   20 ms
      apologize                                        █    0 ms
      archive                               ░               0 ms  skipped: admission.…

      █ ran  ▒ failed  ░ dropped  ↻ waits for another attempt
      "
    `);
  });

  it('shows tokens that fired nothing, each at its moment, and says why', async () => {
    const { stdout } = await stored.exec(['timeline', 'weather', '--json']);
    const skips = JSON.parse(stdout).spans.filter(({ kind }: { kind: string }) => kind === 'skip');
    expect(skips).toMatchObject([{ label: 'archive', status: 'skipped', reason: 'admission.denied' }]);
    expect(skips[0].end).toBe(skips[0].start);
  });

  it('has a picture whose legend is below its title, and inside of it', async () => {
    const { stdout } = await stored.exec(['timeline', 'weather', '--svg', '-', '--width', '600']);
    const title = Number(/<text x="\d+" y="(\d+)" class="title">/.exec(stdout)?.[1]);
    const legend = [...stdout.matchAll(/<rect class="\w+" x="(\d+)" y="(\d+)" width="12" height="10"\/>/g)];
    expect(legend.length).toBeGreaterThan(3);
    for (const [, x, y] of legend) {
      expect(Number(y)).toBeGreaterThan(title + 10);
      expect(Number(x)).toBeLessThan(560);
    }
  });

  it('shows iterations one by one if asked to', async () => {
    const { stdout } = await stored.exec(['timeline', 'weather', '--iterations', '2', '--width', '100']);
    expect(stdout).toMatchInlineSnapshot(`
      "weather demo/weather success after 15.8 s

                          |0            |5 s          |10 s
      start               ▒↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻↻███               11.3 s  1 retry, waited 10.0 s
      measure                                             █████████████   4.5 s  3/3, 1 failed
        [0]                                               ████            1.5 s
        [1]                                               ····▒▒▒▒▒       3.0 s
        1 more iteration                                      █████████   3.0 s
      publish                                                         ▒   20 ms
      apologize                                                       █    0 ms
      archive                                             ░                0 ms  skipped: admission.denied

      █ ran  ▒ failed  ░ dropped  ↻ waits for another attempt  · scheduled
      "
    `);
  });

  it.each([10, 40, 60, 80, 200])('fits into %i columns', async (columns) => {
    for (const id of ['weather', 'failed', 'hostile', 'cycle']) {
      const { stdout } = await stored.exec(['timeline', id, '--width', String(columns)]);
      for (const line of stdout.split('\n')) expect([...line].length).toBeLessThanOrEqual(Math.max(20, columns));
    }
  });

  it('sums up the runs beyond its rows by their step', async () => {
    const { stdout } = await stored.exec(['timeline', 'cycle', '--rows', '3']);
    expect(stdout).toMatchInlineSnapshot(`
      "cycle demo/weather success after 31.0 s

                             |0              |10 s           |20 s
      start                  ██                                                  1.0 s
      start#2                 ██                                                 1.0 s
      28 more runs of start      █████████████████████████████████████████████  28.0 s
      and 1 more row: --rows shows more

      █ ran
      "
    `);
  });

  it('goes up to now where something is not over', async () => {
    const { stdout } = await stored.exec(['timeline', 'waits']);
    expect(stdout).toContain('running for');
    expect(stdout).toMatch(/^start {2}.*┄+ {2}.* {2}waits for signal$/m);
  });

  it('is painted in a terminal', async () => {
    const { stdout } = await stored.exec(['timeline', 'failed'], { color: true });
    expect(stdout).toContain('\u001b[31m▒');
  });

  it('writes a picture that is XML, explains itself, and needs nothing else', async () => {
    const files: Record<string, string> = {};
    const { exitCode, stdout } = await stored.exec(['timeline', 'weather', '--svg', 'run.svg'], { files });
    expect([exitCode, stdout]).toEqual([0, '']);
    const svg = files['run.svg'] ?? '';
    expect(await stored.exec(['timeline', 'weather', '--svg', '-'])).toMatchObject({ stdout: svg });
    expect(svg).toContain('role="img" aria-labelledby="title description"');
    expect(svg).toContain('<title id="title">Timeline of execution weather</title>');
    expect(svg).toContain('measure done (3/3, 1 failed), from 11.3 s to 15.8 s.');
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(/http|href|@import|url\((?!#)/);
    for (const sort of ['ok', 'failed', 'retry', 'wait']) expect(svg).toContain(`<rect class="${sort}"`);
  });

  it('lets no name steer the terminal or the page', async () => {
    const { stdout: text } = await stored.exec(['timeline', 'hostile']);
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e]/u);
    const { stdout: svg } = await stored.exec(['timeline', 'hostile', '--svg', '-']);
    expect(svg).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e]|<script|"1"/u);
    const elements = [...svg.matchAll(/<(\/?[a-z]+)/g)].map(([, name]) => name);
    expect(new Set(elements.map((name) => name?.replace('/', '')))).toEqual(
      new Set(['svg', 'title', 'desc', 'style', 'defs', 'pattern', 'rect', 'text', 'line', 'g']),
    );
  });

  it('prints its bars as one line of JSON', async () => {
    const { stdout } = await stored.exec(['timeline', 'weather', '--json']);
    const { execution_id, status, duration_ms, spans } = JSON.parse(stdout);
    expect([execution_id, status, duration_ms]).toEqual(['weather', 'success', 15_820]);
    expect(spans[0]).toEqual({
      kind: 'run',
      lane: 0,
      work: '1',
      label: 'start',
      status: 'done',
      start: '2026-01-01T00:00:00.000Z',
      end: '2026-01-01T00:00:11.300Z',
    });
  });

  it('says why a file cannot be written', async () => {
    const { exitCode, stderr } = await stored.exec(['timeline', 'nobody', '--svg', 'x.svg']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("has no execution 'nobody'");
  });
});
