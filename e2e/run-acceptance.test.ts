import { jsonSize } from '@noetl/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finishedRun, named } from './finished-run.testing.ts';
import { type ApiAnswer, type ApiRequest, type LocalApi, openLocalApi } from './local-api.testing.ts';
import { openProgramBy, WAYS, type WayProgram } from './ways.testing.ts';

const TIMEOUT = 120_000;
const INLINE = 64 * 1024;

describe.each(WAYS)('playbooks that meet a real server, by the %s', { timeout: TIMEOUT }, (way) => {
  let program: WayProgram;
  const apis: LocalApi[] = [];
  beforeAll(async () => {
    program = await openProgramBy(way);
  });
  afterAll(async () => {
    await Promise.all(apis.map((api) => api.close()));
    await program.close();
  });

  const answering = async (answer: (request: ApiRequest, nth: number) => ApiAnswer | Promise<ApiAnswer>) => {
    const api = await openLocalApi(answer);
    apis.push(api);
    return api;
  };
  const run = (name: string, body: string, settings: readonly string[] = []) =>
    finishedRun(program, [program.playbook(name, body), ...settings.flatMap((setting) => ['--set', setting])], {
      shown: true,
    });

  describe('are refused before anything runs', () => {
    let refused = 0;
    const withPolicy = (policy: string) => `
workflow:
  - step: start
    tool:
      - call:
          kind: noop
          spec: { policy: ${policy} }
`;
    it.concurrent.each([
      ['a policy that is no map', '[retry]'],
      ['a rule without then.do', '{ rules: [{ when: "{{ true }}", then: { attempts: 3 } }] }'],
      ['a rule that does what nobody can', '{ rules: [{ else: { then: { do: give_up } } }] }'],
      ['a jump to nowhere', '{ rules: [{ else: { then: { do: jump, to: nowhere } } }] }'],
    ])('if they have %s', async (_, policy) => {
      const data = program.newData();
      const file = program.playbook(`refused_${++refused}`, withPolicy(policy));
      const { code, stdout, stderr } = await program.run(['run', file, '--data', data, '--json']);
      expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
      expect(stderr).toMatch(/refused_\d\.yaml:\d+:\d+/);
      expect(stderr).toMatch(/error: the playbook is not valid; nothing was run\.\n$/);
    });
  });

  const RETRYING = `
workload: { api_url: "" }
workflow:
  - step: start
    tool:
      - call:
          kind: http
          url: "{{ workload.api_url }}/flaky"
          spec:
            policy:
              rules:
                - when: "{{ outcome.http.status in [500, 503] }}"
                  then: { do: retry, attempts: 4, backoff: exponential, delay: 0.01 }
                - when: "{{ outcome.status == 'error' }}"
                  then: { do: fail }
                - else: { then: { do: continue } }
      - report:
          kind: noop
          result: { answer: "{{ _prev.data.answer }}" }
`;

  it.concurrent('retry after a 500, with the same key each time, until the answer comes', async () => {
    const { url, requests } = await answering((_, nth) =>
      nth < 3 ? { status: 500, body: {} } : { body: { answer: 42 } },
    );
    const { end, events } = await run('retry_ends_well', RETRYING, [`api_url=${url}`]);
    expect(end).toMatchObject({ status: 'success', result: { answer: 42 }, stats: { retries: 2 } });
    expect(requests).toHaveLength(3);
    const keys = new Set(requests.map(({ headers }) => headers['idempotency-key']));
    expect([...keys]).toEqual([expect.any(String)]);
    const attempts = named(events, 'task.done').filter(({ task_label }) => task_label === 'call');
    expect(attempts).toMatchObject([
      { attempt: 1, payload: { outcome: { http: { status: 500 } } } },
      { attempt: 2, payload: { outcome: { http: { status: 500 } } } },
      { attempt: 3, payload: { outcome: { http: { status: 200 } } } },
    ]);
  });

  it.concurrent('fail once the attempts are used up', async () => {
    const { url, requests } = await answering(() => ({ status: 503, body: { sorry: true } }));
    const { code, end } = await run('retry_ends_badly', RETRYING, [`api_url=${url}`]);
    expect(code).toBe(1);
    expect(end).toMatchObject({ status: 'error', stats: { retries: 3 } });
    expect(requests).toHaveLength(4);
  });

  it.concurrent('do not retry what another rule fails', async () => {
    const { url, requests } = await answering(() => ({ status: 400, body: {} }));
    const { end } = await run('retry_is_not_for_all', RETRYING, [`api_url=${url}`]);
    expect(end).toMatchObject({ status: 'error', stats: { retries: 0 } });
    expect(requests).toHaveLength(1);
  });

  it.concurrent('jump to one task on 404 and to another on 200', async () => {
    const { url } = await answering(({ path }) =>
      path === '/items/7' ? { status: 404, body: { error: 'gone' } } : { body: { path } },
    );
    const { end, events } = await run(
      'jump_by_status',
      `
workload: { api_url: "", ids: [6, 7, 8] }
workflow:
  - step: start
    loop: { in: "{{ workload.ids }}", iterator: id, spec: { mode: sequential } }
    tool:
      - fetch:
          kind: http
          url: "{{ workload.api_url }}/items/{{ iter.id }}"
          spec:
            policy:
              rules:
                - when: "{{ outcome.http.status == 404 }}"
                  then: { do: jump, to: store_404 }
                - when: "{{ outcome.http.status == 200 }}"
                  then: { do: jump, to: store_200 }
                - else: { then: { do: fail } }
      - never: { kind: noop, result: never }
      - store_404:
          kind: noop
          result: { missing: "{{ iter.id }}" }
          spec: { policy: { rules: [{ else: { then: { do: break } } }] } }
      - store_200: { kind: noop, result: { found: "{{ _prev.data.path }}" } }
`,
      [`api_url=${url}`],
    );
    expect(end.result).toEqual([{ found: '/items/6' }, { missing: 7 }, { found: '/items/8' }]);
    const visited = named(events, 'task.done').map(({ task_label }) => task_label);
    expect(visited).toEqual(['fetch', 'store_200', 'fetch', 'store_404', 'fetch', 'store_200']);
  });

  /** Pages of `size` out of the numbers from 1 to `total`. */
  const page = ({ query }: ApiRequest, total: number, size = 2): ApiAnswer => {
    const number = Number(query.get('page'));
    const from = (number - 1) * size + 1;
    const items = Array.from({ length: size }, (_, nth) => from + nth).filter((item) => item <= total);
    return { body: { items, has_more: number * size < total } };
  };

  const PAGES = (parent: string) => `
      - first_page:
          kind: noop
          spec: { policy: { rules: [{ else: { then: { do: continue, set_iter: { page: 1, items: [] } } } }] } }
      - fetch:
          kind: http
          url: "{{ workload.api_url }}/{{ ${parent} }}/{{ iter.name }}"
          params: { page: "{{ iter.page }}" }
          spec:
            policy:
              rules:
                - when: "{{ outcome.status == 'error' }}"
                  then: { do: retry, attempts: 3, delay: 0.01 }
                - else:
                    then:
                      do: continue
                      set_iter:
                        items: "{{ iter.items + outcome.result.data.items }}"
                        has_more: "{{ outcome.result.data.has_more }}"
      - turn_page:
          kind: noop
          result: "{{ iter.items }}"
          spec:
            policy:
              rules:
                - when: "{{ iter.has_more }}"
                  then: { do: jump, to: fetch, set_iter: { page: "{{ iter.page + 1 }}" } }
                - else: { then: { do: break } }
`;

  it.concurrent('turn pages while there are more, each page with attempts of its own, and end with break', async () => {
    const broken = new Set<string | null>();
    const { url, requests } = await answering((request) => {
      const number = request.query.get('page');
      if (broken.has(number)) return page(request, 9);
      broken.add(number);
      return { status: 500, body: {} };
    });
    const { end } = await run(
      'pages',
      `
workload: { api_url: "" }
workflow:
  - step: start
    loop: { in: [all], iterator: name, spec: { mode: sequential } }
    tool:${PAGES("'things'")}`,
      [`api_url=${url}`],
    );
    expect(end).toMatchObject({ status: 'success', result: [[1, 2, 3, 4, 5, 6, 7, 8, 9]] });
    // Every page failed once, and no page used up the attempts of another.
    expect(requests.map(({ query }) => query.get('page'))).toEqual(['1', '1', '2', '2', '3', '3', '4', '4', '5', '5']);
  });

  it.concurrent('never send more requests at once than max_in_flight, and keep what iterations know apart', async () => {
    let arrived: () => void = () => undefined;
    const three = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    // The first three wait for each other: who sends fewer at once never ends. A fourth would be counted.
    const limited = await answering(async ({ path }, nth) => {
      if (nth === 3) arrived();
      await three;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { body: { path } };
    });
    const { end } = await run(
      'at_most_three',
      `
workload: { api_url: "" }
workflow:
  - step: start
    loop: { in: "{{ range(12) | list }}", iterator: n, spec: { mode: parallel, max_in_flight: 3 } }
    tool:
      - keep:
          kind: noop
          spec: { policy: { rules: [{ else: { then: { do: continue, set_iter: { mine: "{{ iter.n * 10 }}" } } } }] } }
      - fetch: { kind: http, url: "{{ workload.api_url }}/{{ iter.n }}" }
      - report: { kind: noop, result: ["{{ iter.mine }}", "{{ _prev.data.path }}"] }
`,
      [`api_url=${limited.url}`],
    );
    expect(end.result).toEqual(Array.from({ length: 12 }, (_, n) => [n * 10, `/${n}`]));
    expect(limited.mostAtOnce).toBe(3);
  });

  it.concurrent('nest loops, with the pages of each inner iteration in order', async () => {
    const asked = new Map<string, string[]>();
    const { url } = await answering((request) => {
      const pages = asked.get(request.path) ?? [];
      asked.set(request.path, [...pages, request.query.get('page') ?? '']);
      return page(request, request.path.length - 4);
    });
    const { end } = await run(
      'nested',
      `
workload:
  api_url: ""
  cities: [{ name: oslo, hotels: [a, bb] }, { name: rome, hotels: [ccc] }, { name: bern, hotels: [] }]
workflow:
  - step: start
    loop:
      in: "{{ workload.cities }}"
      iterator: city
      spec: { mode: parallel, max_in_flight: 2 }
      loop: { in: "{{ iter.city.hotels }}", iterator: name, spec: { mode: sequential } }
    tool:${PAGES('iter.parent.city.name')}`,
      [`api_url=${url}`],
    );
    expect(end.result).toEqual([
      [
        [1, 2, 3],
        [1, 2, 3, 4],
      ],
      [[1, 2, 3, 4, 5]],
      [],
    ]);
    expect(Object.fromEntries(asked)).toEqual({
      '/oslo/a': ['1', '2'],
      '/oslo/bb': ['1', '2'],
      '/rome/ccc': ['1', '2', '3'],
    });
  });

  const ROUTED = (mode: string) => `
workflow:
  - step: start
    tool: [{ go: { kind: noop, result: 5 } }]
    next:
      spec: { mode: ${mode} }
      arcs:
        - { step: low, when: "{{ results.start < 3 }}" }
        - { step: middle, when: "{{ results.start > 3 }}" }
        - { step: high, when: "{{ results.start > 4 }}" }
  - step: low
    tool: [{ go: { kind: noop, result: low } }]
  - step: middle
    tool: [{ go: { kind: noop, result: middle } }]
  - step: high
    tool: [{ go: { kind: noop, result: high } }]
`;

  it.concurrent.each([
    ['exclusive', ['not_matched', 'matched', 'not_evaluated'], ['middle']],
    ['inclusive', ['not_matched', 'matched', 'matched'], ['high', 'middle']],
  ])('route in mode %s', async (mode, verdicts, steps) => {
    const { events } = await run(`route_${mode}`, ROUTED(mode));
    const routed = named(events, 'next.evaluated').find(({ payload }) => payload.step === 'start');
    expect(routed?.payload.arcs.map(({ verdict }) => verdict)).toEqual(verdicts);
    const done = named(events, 'step.done').map(({ payload }) => payload.step);
    expect(done.filter((step) => step !== 'start').sort()).toEqual(steps);
  });

  it.concurrent('store large results elsewhere, and every event stays under the limit', async () => {
    const large = 'ü'.repeat(300_000);
    const { url } = await answering(() => ({ body: { text: large } }));
    const { end, events, data, id } = await run(
      'large',
      `
workload: { api_url: "" }
workflow:
  - step: start
    loop: { in: [1, 2], iterator: n, spec: { mode: parallel } }
    tool: [{ fetch: { kind: http, url: "{{ workload.api_url }}" } }]
    next: { arcs: [{ step: count }] }
  - step: count
    tool:
      - measure: { kind: noop, result: "{{ results.start | map(attribute='data.text') | map('length') | list }}" }
      - keep: { kind: noop, result: { lengths: "{{ _prev }}", texts: "{{ results.start | map(attribute='data.text') | list }}" } }
`,
      [`api_url=${url}`],
    );
    for (const event of events) expect(jsonSize(event.payload), event.name).toBeLessThan(INLINE + 4_096);
    const fetched = named(events, 'task.done').filter(({ task_label }) => task_label === 'fetch');
    for (const { payload } of fetched) {
      expect(payload.outcome?.result).toMatchObject({ store: 'file', checksum: expect.any(String) });
    }
    expect(end).toMatchObject({ status: 'success', result: { store: 'file', size: expect.any(Number) } });
    const { code, stdout } = await program.run(['exec', 'result', id, '--data', data, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ lengths: [300_000, 300_000], texts: [large, large] });
  });
});
