import fc from 'fast-check';
import { commentedYaml } from './commented-yaml.testing.ts';

type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };
type Fields = Readonly<Record<string, Value>>;

/** The text of a playbook in an older dialect, or a mixture, with comments all over it: `# c1`, `# c2`, … */
export const olderDocument: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom('eval', 'case', 'v1', 'public'), fc.integer({ min: 1, max: 5 }))
  .chain(([dialect, size]) => fc.tuple(root(dialect), steps(dialect, size), fc.array(fc.nat(99), { minLength: 60 })))
  .map(([head, workflow, dice]) => commentedYaml({ ...head, workflow }, dice));

type Dialect = 'eval' | 'case' | 'v1' | 'public';

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });

/** A map with the entries that are there. */
function fields(entries: Readonly<Record<string, fc.Arbitrary<Value | undefined>>>): fc.Arbitrary<Fields> {
  return fc.record(entries).map((found) => {
    const given = Object.entries(found).filter((entry): entry is [string, Value] => entry[1] !== undefined);
    return Object.fromEntries(given);
  });
}

function root(dialect: Dialect): fc.Arbitrary<Fields> {
  const workload: Fields = { n: 3, items: [1, 2, 3], url: 'http://localhost:5555', text: "it's: fine" };
  const named: Fields = { name: 'older', path: 'flows/older' };
  const current: Fields = { apiVersion: 'noetl.io/v2', kind: 'Playbook', metadata: named, workload };
  const former: Fields = { apiVersion: 'noetl.io/v1', kind: 'Playbook', ...named, workload };
  const more = fields({
    workbook: maybe(fc.constant([{ name: 'shared', tool: { kind: 'python', code: 'result = 5' } }])),
    vars: maybe(fc.constant({ kept: 0 })),
    tracing: maybe(fc.constant(true)),
    executor: maybe(fc.constant({ profile: 'local', version: 'noetl-runtime/1' })),
  });
  const head = dialect === 'v1' ? former : current;
  return dialect === 'case' || dialect === 'v1' ? more.map((found) => ({ ...head, ...found })) : fc.constant(head);
}

const nameOf = (i: number): string => (i === 0 ? 'start' : `step_${i}`);

const steps = (dialect: Dialect, size: number): fc.Arbitrary<readonly Fields[]> =>
  fc.tuple(...Array.from({ length: size }, (_, i) => step(dialect, i, size)));

function step(dialect: Dialect, i: number, size: number): fc.Arbitrary<Fields> {
  return fc
    .tuple(work(dialect), routing(dialect, i, size), around(dialect))
    .map(([tool, next, more]) => ({ step: nameOf(i), desc: `the ${i}th: of ${size}`, ...more, ...tool, ...next }));
}

const ARGS: Fields = { n: '{{ workload.n }}', fixed: 1 };
/** What came before is read by the step's name. */
const READING: Fields = { n: '{{ start.data | default(workload.n) }}', kept: '{{ vars.kept | default(0) }}' };

/** Kinds with fields under older names, or their own. */
const task: fc.Arbitrary<Fields> = fc.oneof(
  fields({ kind: fc.constant('python'), code: fc.constantFrom('result = {"n": 1}', '# why\nx = 2\nresult = x\n') }),
  fields({
    kind: fc.constant('http'),
    method: fc.constantFrom('GET', 'POST'),
    url: fc.constant('{{ workload.url }}/items'),
    params: maybe(fc.constant({ page: '{{ workload.n }}' })),
    headers: maybe(fc.constant({ accept: 'application/json' })),
  }),
  fields({ kind: fc.constant('http'), endpoint: fc.constant('{{ workload.url }}'), method: fc.constant('GET') }),
  fields({ kind: fc.constant('duckdb'), query: fc.constant('SELECT 1 AS one') }),
  fields({ kind: fc.constant('noop'), result: fc.constant('{{ workload.text }}') }),
);

function work(dialect: Dialect): fc.Arbitrary<Fields> {
  const values = dialect === 'case' || dialect === 'v1' ? fc.constantFrom(ARGS, READING) : fc.constant(ARGS);
  const nested = fc.tuple(task, maybe(values)).map(([found, args]): Fields => {
    return { tool: args === undefined ? found : { ...found, [dialect === 'public' ? 'input' : 'args']: args } };
  });
  const flat = (key: string) =>
    fc.tuple(task, maybe(values)).map(([{ kind = '', ...rest }, args]): Fields => {
      return { [key]: kind, ...(args === undefined ? {} : { [key === 'type' ? 'with' : 'args']: args }), ...rest };
    });
  switch (dialect) {
    case 'case':
      return fc.oneof(nested, flat('tool'));
    case 'v1':
      return fc.oneof(flat('type'), flat('tool'), nested);
    case 'eval':
      return fc.array(fc.tuple(task, maybe(evaluation)), { minLength: 1, maxLength: 3 }).map((tasks): Fields => {
        return {
          tool: tasks.map(([found, rules], i) => ({
            [i === 0 ? 'work' : `more_${i}`]: rules === undefined ? found : { ...found, eval: rules },
          })),
        };
      });
    case 'public':
      return nested;
  }
}

const evaluation: fc.Arbitrary<readonly Fields[]> = fc
  .tuple(
    fc.subarray<Fields>([
      { expr: "{{ outcome.status == 'error' }}", do: 'retry', attempts: 3, backoff: 'fixed', delay: 1 },
      { expr: "{{ outcome.status == 'success' }}", do: 'continue', set_ctx: { seen: '{{ outcome.result }}' } },
      { expr: "{{ outcome.error.kind == 'timeout' }}", do: 'fail' },
      { expr: "{{ outcome.status == 'success' and workload.n > 5 }}", do: 'break', set_vars: { last: '{{ _prev }}' } },
      { expr: '{{ outcome.result.again }}', do: 'jump', to: 'work' },
      { expr: '{{ vars.last is defined }}', do: 'continue', set_prev: '{{ outcome.result }}' },
    ]),
    fc.boolean(),
  )
  .map(([rules, last]) => [...rules, ...(last || rules.length === 0 ? [{ else: { do: 'continue' } }] : [])]);

/** What stood beside the work of a step. */
function around(dialect: Dialect): fc.Arbitrary<Fields> {
  const loop = fields({
    in: fc.constant('{{ workload.items }}'),
    iterator: fc.constant('item'),
    mode: maybe(fc.constantFrom('sequential', 'parallel', 'async')),
    limit: maybe(fc.constant(2)),
  });
  const oldLoop = fields({ collection: fc.constant('{{ workload.items }}'), element: fc.constant('item') });
  const retry = fields({
    max_attempts: fc.integer({ min: 1, max: 5 }),
    initial_delay: maybe(fc.constantFrom(1, 0.5)),
    backoff_multiplier: maybe(fc.constantFrom(1, 2, 1.5)),
    retry_when: maybe(fc.constantFrom('{{ error is defined }}', '{{ attempt < 3 }}')),
  });
  const sink = fields({
    tool: fc.constantFrom<Fields>(
      { kind: 'duckdb', query: 'INSERT INTO t VALUES (1)' },
      { kind: 'postgres', auth: 'pg', table: 'public.t', args: { n: '{{ result.n }}', all: '{{ this | tojson }}' } },
    ),
    when: maybe(fc.constant('{{ result is defined }}')),
  });
  switch (dialect) {
    case 'case':
      return fields({
        loop: maybe(loop),
        vars: maybe(fc.constant({ kept: '{{ result }}' })),
        retry: maybe(retry),
        sink: maybe(sink),
      });
    case 'v1':
      return fields({ loop: maybe(fc.oneof(loop, oldLoop)), retry: maybe(retry) });
    case 'eval':
      return fields({ when: maybe(fc.constant('{{ workload.n > 1 }}')) });
    case 'public':
      return fc.constant({});
  }
}

function routing(dialect: Dialect, i: number, size: number): fc.Arbitrary<Fields> {
  const later = Array.from({ length: size - i - 1 }, (_, k) => nameOf(i + 1 + k));
  const [first = 'end', second = 'end'] = later;
  if (later.length === 0) return fc.constantFrom<Fields>({}, { next: 'end' });
  const single = fc.constantFrom<Value>(first, [{ step: first }], [{ step: first, args: { a: '{{ workload.n }}' } }]);
  const arcs: Fields = { arcs: [{ step: first, when: '{{ workload.n > 2 }}' }, { step: second }] };
  const cases = fc.subarray<Fields>(
    [
      { when: "{{ event.name == 'call.error' }}", then: { next: [{ step: second }] } },
      { when: "{{ event.name == 'step.exit' and workload.n > 2 }}", then: { next: [{ step: first }] } },
      { when: "{{ event.name == 'call.done' }}", then: { next: [{ step: second }] } },
      {
        when: "{{ event.name == 'call.done' and response.n > 1 }}",
        then: { set: { big: '{{ result.n }}' }, next: first },
      },
      { when: "{{ event.name == 'call.error' and error.status == 503 }}", then: { retry: { max_attempts: 2 } } },
      {
        when: '{{ response is defined and workload.n > 1 }}',
        then: { sink: { tool: { kind: 'duckdb', query: 'INSERT INTO t VALUES (2)' } } },
      },
    ],
    { minLength: 1 },
  );
  switch (dialect) {
    case 'case':
      return fc.oneof(
        single.map((next) => ({ next })),
        fields({ case: cases, next: maybe(single) }),
        fc.constant<Fields>({ next: [{ step: first }, { step: second }] }),
      );
    case 'v1':
      return fc.oneof(
        single.map((next) => ({ next })),
        fc.constant<Fields>({
          next: [{ when: '{{ workload.n > 2 }}', then: [{ step: first }] }, { else: [{ step: second }] }],
        }),
      );
    case 'eval':
      return fc.constantFrom<Fields>(
        { next: [{ step: first, when: '{{ workload.n > 2 }}' }, { step: second }] },
        { spec: { next_mode: 'inclusive' }, next: [{ step: first }] },
      );
    case 'public':
      return fc.constantFrom<Fields>({ next: arcs }, { next: { arcs: [{ step: first, set: { a: 1 } }] } });
  }
}
