import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Recording, record } from '../../views/recorded.testing.ts';
import { openStoredExecutions, type StoredExecutions } from './stored-executions.testing.ts';

/** Each sort of condition, once more than needed; and texts that would steer a terminal. */
const DECISIONS = `
keychain: [{ name: api, kind: static, value: secret }]
workload: { limit: 3, pages: [a, b] }
workflow:
  - step: start
    loop: { in: "{{ workload.pages }}", iterator: page, spec: { mode: sequential } }
    tool:
      - fetch:
          kind: http
          url: https://example.org
          spec:
            policy:
              rules:
                - { when: "{{ outcome.status == 'error' and _attempt < 3 }}", then: { do: retry, delay: 0 } }
                - { when: "{{ keychain.api == iter.page }}", then: { do: fail } }
                - { else: { then: { do: continue, set_ctx: { seen: "{{ outcome.result.n }}" } } } }
    next:
      arcs:
        - { step: few, when: "{{ ctx.seen < workload.limit }}" }
        - { step: many, when: "{{ ctx.seen >= workload.limit and ctx['\\e[2J'] is not defined }}", args: { n: 9 } }
        - { step: few }
  - { step: few, tool: { kind: noop } }
  - step: many
    spec:
      policy:
        admit:
          rules:
            - { when: "{{ args.n > 10 }}", then: { allow: true } }
            - { when: "{{ args.n > 5 }}", then: { allow: false } }
    tool: { kind: noop }
`;

const decisions = (): Recording =>
  record(DECISIONS, {
    tools: {
      'start.fetch': ({ path: [index = 0], attempt }) =>
        index === 0 && attempt === 1
          ? { error: { kind: 'http.status', message: '503' } }
          : { result: { n: 4 + index } },
    },
  });

describe('exec events --explain', () => {
  let stored: StoredExecutions;
  beforeAll(async () => {
    stored = openStoredExecutions();
    await stored.keep('run', decisions());
  });
  afterAll(() => stored.close());

  it('tells every admission, arc and rule with its expression, what it read, and its verdict', async () => {
    const { stdout, exitCode } = await stored.exec(['events', 'run', '--explain']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "     1 2026-01-01T00:00:00.000Z playbook.execution.requested in_progress demo/weather {}
           2 2026-01-01T00:00:00.000Z playbook.request.evaluated   success     {"limit":3,"pages":["a","b"]}
           3 2026-01-01T00:00:00.000Z workflow.started             in_progress begins at start
           4 2026-01-01T00:00:00.000Z step.scheduled               in_progress start
           5 2026-01-01T00:00:00.000Z loop.started                 in_progress start  2 items, sequential
           6 2026-01-01T00:00:00.000Z loop.iteration.started       in_progress start[0]  on w
           7 2026-01-01T00:00:00.000Z task.started                 in_progress start[0].fetch  http {"url":"https://example.org"}
           8 2026-01-01T00:00:00.000Z task.done                    error       start[0].fetch  http.status: 503 → retry in 0 ms
             policy of fetch: retry by rule 1
               rule 1 → retry     matched         {{ outcome.status == 'error' and _attempt < 3 }}  outcome.status = "error", _attempt = 1
               rule 2 → fail      not evaluated   {{ keychain.api == iter.page }}
               rule 3 → continue  not evaluated   else
           9 2026-01-01T00:00:00.000Z task.started                 in_progress start[0].fetch  http attempt 2 {"url":"https://example.org"}
          10 2026-01-01T00:00:00.000Z task.done                    success     start[0].fetch  {"n":4} → continue
             policy of fetch: continue by rule 3
               rule 1 → retry     not matched     {{ outcome.status == 'error' and _attempt < 3 }}  outcome.status = "ok", _attempt = 2
               rule 2 → fail      not matched     {{ keychain.api == iter.page }}  keychain.api = "[secret]", iter.page = "a"
               rule 3 → continue  matched         else
          11 2026-01-01T00:00:00.000Z ctx.patched                  success     start  {"seen":4}
          12 2026-01-01T00:00:00.000Z loop.iteration.done          success     start[0]  {"n":4}
          13 2026-01-01T00:00:00.000Z loop.iteration.started       in_progress start[1]  on w
          14 2026-01-01T00:00:00.000Z task.started                 in_progress start[1].fetch  http {"url":"https://example.org"}
          15 2026-01-01T00:00:00.000Z task.done                    success     start[1].fetch  {"n":5} → continue
             policy of fetch: continue by rule 3
               rule 1 → retry     not matched     {{ outcome.status == 'error' and _attempt < 3 }}  outcome.status = "ok", _attempt = 1
               rule 2 → fail      not matched     {{ keychain.api == iter.page }}  keychain.api = "[secret]", iter.page = "b"
               rule 3 → continue  matched         else
          16 2026-01-01T00:00:00.000Z ctx.patched                  success     start  {"seen":5}
          17 2026-01-01T00:00:00.000Z loop.iteration.done          success     start[1]  {"n":5}
          18 2026-01-01T00:00:00.000Z loop.done                    success     start  2 items: 2 ok, 0 failed
          19 2026-01-01T00:00:00.000Z next.evaluated               success     start  → many (few not_matched, few not_evaluated)
             routing: to many
               arc 1 → few   not matched     {{ ctx.seen < workload.limit }}  ctx.seen = 5, workload.limit = 3
               arc 2 → many  matched         {{ ctx.seen >= workload.limit and ctx['�[2J'] is not defined }}  ctx.seen = 5, workload.limit = 3, ctx.�[2J is undefined
               arc 3 → few   not evaluated   no condition
          20 2026-01-01T00:00:00.000Z step.skipped                 skipped     many  admission.denied {{ args.n > 5 }}
             admission: deny by rule 2
               rule 1 → allow  not matched     {{ args.n > 10 }}  args.n = 9
               rule 2 → deny   matched         {{ args.n > 5 }}  args.n = 9
          21 2026-01-01T00:00:00.000Z workflow.finished            success     success
          22 2026-01-01T00:00:00.000Z playbook.processed           success     success null
      "
    `);
    expect(stdout).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it('adds a field to the events that have conditions behind them, and leaves the others as they are', async () => {
    const [plain, told] = await Promise.all([
      stored.exec(['events', 'run', '--json']),
      stored.exec(['events', 'run', '--json', '--explain']),
    ]);
    const lines = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    const explained = lines(told.stdout);
    expect(explained.map(({ explanation: _, ...event }) => event)).toEqual(lines(plain.stdout));
    const abouts = explained.flatMap(({ explanation }) => (explanation === undefined ? [] : [explanation.about]));
    expect(abouts).toEqual(['policy', 'policy', 'policy', 'arcs', 'admission']);
    expect(explained.at(-3).explanation).toMatchObject({
      decision: 'deny',
      by: 1,
      conditions: [
        { index: 0, when: '{{ args.n > 10 }}', verdict: 'not_matched', leads_to: 'allow', reads: { 'args.n': 9 } },
        { index: 1, when: '{{ args.n > 5 }}', verdict: 'matched', leads_to: 'deny', reads: { 'args.n': 9 } },
      ],
    });
  });

  it('comes in pages, each told from what happened before it', async () => {
    const { stdout: whole } = await stored.exec(['events', 'run', '--explain']);
    let paged = '';
    for (let after = 0; ; after += 3) {
      const { stdout } = await stored.exec(['events', 'run', '--explain', '--after', String(after), '--limit', '3']);
      const [, page = '', more] = /^(.*?)(more: .*\n)?$/s.exec(stdout) ?? [];
      paged += page;
      if (more === undefined) break;
      expect(more).toContain(`--after ${after + 3} --limit 3 --explain --data `);
    }
    expect(paged).toBe(whole);
  });

  it('offers no further page behind the last event', async () => {
    const all = (await stored.exec(['events', 'run', '--json'])).stdout.trimEnd().split('\n').length;
    const page = (limit: number) => stored.exec(['events', 'run', '--limit', String(limit)]);
    expect((await page(all)).stdout).not.toContain('more:');
    expect((await page(all - 1)).stdout).toContain(`more: noetl exec events run --after ${all - 1}`);
  });

  it('says nothing of secrets', async () => {
    const { stdout } = await stored.exec(['events', 'run', '--explain', '--json']);
    expect(stdout).toContain('"keychain.api":"[secret]"');
  });
});
