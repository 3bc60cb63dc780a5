import { describe, expect, it } from 'vitest';
import { readYaml } from '../../yaml/read-yaml.ts';
import { type DocumentFacts, documentFacts } from '../document-facts.ts';
import { Journal } from '../journal.ts';
import { scalar } from '../tree/build.ts';
import { textOf } from '../tree/edit.ts';
import { grow } from '../tree/grow.ts';
import { renamedCondition, renamedText, renameNames } from './rename-names.ts';
import type { Site } from './site.ts';
import { varHome } from './var-home.ts';

const FLOW = `
workload: { items: [] }
workbook:
  - { name: look, tool: { kind: http } }
workflow:
  - step: fetch
    tool: { kind: http, url: u }
    next: [{ step: rows }]
  - step: rows
    tool: postgres
    query: "SELECT '{{ fetch.data.id }}'"
    next: calc
  - step: calc
    tool: { kind: python, code: "result = {'total': 1}" }
    next: [{ step: each, args: { given: 1 } }]
  - step: kept
    tool: { kind: python, code: "result = {'data': 1}" }
  - step: each
    loop: { in: '{{ rows }}', iterator: item }
    tool: [{ load: { kind: http } }]
  - step: called
    tool: { kind: workbook, name: look }
`;

function factsOf(document: string, dialect: 'case-003' | 'eval-002' = 'case-003'): DocumentFacts {
  const yaml = readYaml(document);
  const grown = 'error' in yaml || yaml.node.kind !== 'map' ? undefined : grow(document, yaml.node);
  if (grown === undefined) throw new Error('no document');
  return documentFacts(grown.root, [{ dialect, evidence: [] }]);
}

const facts = factsOf(FLOW);

const named = (expression: string, site: Site, document = facts): string => {
  const journal = new Journal('p.yaml', FLOW);
  const text = renamedText(`{{ ${expression} }}`, 0, site, document, journal).slice(3, -3);
  const [problem] = journal.problems();
  return problem === undefined ? text : `! ${problem.message}`;
};

const condition = (expression: string, site: Site): unknown => {
  const tree = renamedCondition(scalar(`{{ ${expression} }}`), site, facts, new Journal('p.yaml', FLOW));
  return tree.kind === 'scalar' ? tree.value : tree;
};

describe('everywhere', () => {
  it.each([
    ['vars.page + 1', 'ctx.page + 1'],
    ["vars['page']", "ctx['page']"],
    ['vars', 'ctx'],
    ['loop_index', 'iter.index'],
    ["each_results | map(attribute='id') | list", "results.each | map(attribute='id') | list"],
    ['step.name', "'calc'"],
    ['fetch.data.id', 'fetch.data.id'],
    ["fetch['data']['id']", "fetch['data']['id']"],
    ['fetch.status_code == 200', 'fetch.status == 200'],
    ['fetch.body.items[0]', 'fetch.data.items[0]'],
    ['fetch.result', 'fetch'],
    ['fetch.paging.page', 'fetch.data.paging.page'],
    ['called.status_code', 'called.status'],
    ['fetch', 'fetch'],
    ['fetch.elapsed', "! 'elapsed' is no part of what a request gives now"],
    ['fetch.elapsed * 2 if fetch.elapsed else 0', 'none * 2 if none else 0'],
    ['rows[0].id', 'rows.rows[0].id'],
    ['rows | length', 'rows.rows | length'],
    ['rows.command_0.rows[0].id', 'rows.command_0.rows[0].id'],
    ['rows.command_0[0].id', 'rows.command_0.rows[0].id'],
    ['rows.data.result.command_0.rows', 'rows.command_0.rows'],
    ['rows.data', 'rows.rows'],
    ['rows.statement_1.rows', 'rows.command_1.rows'],
    ['calc.data.total', 'calc.total'],
    ['calc.result', 'calc'],
    ['kept.data', 'kept.data'],
    ['each.results[0].status_code', 'each[0].status'],
    ['each.data', 'each'],
    ['each.stats.total', "! 'stats' is no part of what a loop gives now"],
    ['workload.items', 'workload.items'],
    ['ctx.page ~ execution_id ~ job.uuid ~ args.given', 'ctx.page ~ execution_id ~ job.uuid ~ args.given'],
  ])('%s → %s', (old, now) => {
    expect(named(old, { at: 'task', step: 'calc' })).toBe(now);
  });

  it('what is given by that name stays', () => {
    const given = factsOf(`workload: { loop_index: 1, fetch: 2 }\n${FLOW.replace('workload: { items: [] }', '')}`);
    expect(named('loop_index', { at: 'task', step: 'calc' }, given)).toBe('loop_index');
    expect(named('fetch.data.id', { at: 'task', step: 'calc' }, given)).toBe('results.fetch.data.id');
    for (const at of ['task', 'loop', 'admission'] as const)
      expect(named('fetch', { at, step: 'fetch' }, given)).toBe('fetch');
    expect(named('fetch.data.id', { at: 'arcs', step: 'fetch' }, given)).toBe('results.fetch.data.id');
  });

  it('a loop over the rows of a statement', () => {
    expect(textOf(renameNames(scalar('{{ rows }}'), { at: 'loop', step: 'each' }, facts, new Journal('p', '')))).toBe(
      '{{ rows.rows }}',
    );
  });
});

describe('in the rules of a task', () => {
  const http: Site = { at: 'policy', step: 'fetch', maxAttempts: 5 };
  it.each([
    ['result.data.id', 'outcome.result.data.id'],
    ['response.paging.hasMore == true', 'outcome.result.data.paging.hasMore == true'],
    ['response.status_code in [500, 503]', 'outcome.http.status in [500, 503]'],
    ['status_code != 200', 'outcome.http.status != 200'],
    ['response.status == 200', 'outcome.http.status == 200'],
    ['result', 'outcome.result'],
    ['this.data.data.id', 'outcome.result.data.id'],
    ["this.status == 'success'", "outcome.status == 'ok'"],
    ['attempt < max_attempts', '_attempt < 5'],
    ['not success', "not (outcome.status == 'ok')"],
    ['error != None', 'outcome.error != None'],
    ['last_error is not none', 'outcome.error is not none'],
    ['error is defined and error.status in [500]', "outcome.status == 'error' and outcome.http.status in [500]"],
    ["'timeout' in error", "'timeout' in outcome.error.message"],
    ["error.type == 'x'", "outcome.error.kind == 'x'"],
    ['response is not defined', "outcome.status != 'ok'"],
    ["output.status == 'success' and output.data.data.id", "outcome.status == 'ok' and outcome.result.data.id"],
    ['output.http.status', 'outcome.http.status'],
    ['output.error.retryable', 'outcome.error.retryable'],
    ['output.error', 'outcome.error'],
    ['output', 'outcome.result'],
    ['output.data', 'outcome.result'],
    ['fetch.data.id', 'outcome.result.data.id'],
    ['outcome.result.data.id', 'outcome.result.data.id'],
    ["outcome.status == 'ok' and outcome.error.retryable", "outcome.status == 'ok' and outcome.error.retryable"],
    ["outcome.status in ['success', 'error']", "outcome.status in ['ok', 'error']"],
    ['outcome.error.status_code', 'outcome.http.status'],
    ["outcome.error.kind == 'rate_limit'", 'outcome.http.status == 429'],
    [
      "not output.error.kind in ['timeout', 'server_error']",
      "not (outcome.http.status in [500, 502, 503, 504] or outcome.error.kind == 'timeout')",
    ],
    ["outcome.error.kind == 'timeout'", "outcome.error.kind == 'timeout'"],
    ["event.name == 'call.done'", "outcome.status == 'ok'"],
    ["event.name == 'call.error'", "outcome.status == 'error'"],
    ["event.name != 'step.exit'", "outcome.status != 'ok'"],
    ["event.name == 'step.enter'", '! what is done when a step is entered has no place of its own'],
  ])('%s → %s', (old, now) => {
    expect(named(old, http)).toBe(now);
  });

  it('a task of another kind has results of its own form', () => {
    expect(named('result[0].id', { at: 'policy', step: 'fetch', kind: 'postgres' })).toBe('outcome.result.rows[0].id');
    expect(named('output.data.rows[0].id', { at: 'policy', step: 'rows' })).toBe('outcome.result.rows[0].id');
    expect(named('output.response.total', { at: 'policy', step: 'calc' })).toBe('outcome.result.total');
    expect(named('result.id', { at: 'policy', step: 'each' })).toBe('outcome.result.data.id');
  });

  it('fields of a body that were read as those of the answer, in 002', () => {
    const document = factsOf(
      "workflow: [{ step: s, tool: { kind: http, eval: [{ else: { set_vars: { a: '{{ outcome.result.email }}' } } }] } }]",
      'eval-002',
    );
    const site: Site = { at: 'policy', step: 's' };
    expect(named('outcome.result.email', site, document)).toBe('outcome.result.data.email');
    expect(named('outcome.result.status', site, document)).toBe('outcome.result.data.status');
    expect(named('outcome.result.data.paging', site, document)).toBe('outcome.result.data.paging');
  });

  it('a condition says nothing twice', () => {
    expect(condition("event.name == 'call.done' and response is defined and response.data.more", http)).toBe(
      "{{ outcome.status == 'ok' and outcome.result.data.more }}",
    );
    expect(condition("event.name == 'step.exit' and error is defined and error.status == 500", http)).toBe(
      "{{ outcome.status == 'error' and outcome.http.status == 500 }}",
    );
  });
});

describe('at the arcs of a step', () => {
  const arcs: Site = { at: 'arcs', step: 'fetch' };
  it.each([
    [
      "event.name == 'call.done' and response.status_code == 200",
      "event.name == 'step.done' and results.fetch.status == 200",
    ],
    ["event.name == 'call.error'", "event.name == 'step.failed'"],
    ["event.name == 'step.exit' and response is defined", "event.name == 'step.done' and results.fetch is defined"],
    ["event.name == 'step.exit' and error is defined", "event.name == 'step.failed'"],
    ["event.name == 'step.failed'", "event.name == 'step.failed'"],
    ["event.name in ['step.done', 'loop.done']", "event.name in ['step.done', 'loop.done']"],
    ['error.status in [500]', 'event.payload.error.details.status in [500]'],
    ['error.message', 'event.payload.error.message'],
    ['result.data.id', 'results.fetch.data.id'],
    ["output.status == 'ok'", "event.status == 'success'"],
    ["output.data.data['id'] | int > 0", "results.fetch.data['id'] | int > 0"],
    ['success', "event.status == 'success'"],
    ['vars.ok and ctx.x', 'ctx.ok and ctx.x'],
  ])('%s → %s', (old, now) => {
    expect(condition(old, arcs)).toBe(`{{ ${now} }}`);
  });

  it('MIG-1: an answer outside of 2xx was a result and is a failure now', () => {
    const status = "(event.payload.error.details.status if event.name == 'step.failed' else results.fetch.status)";
    expect(condition('fetch.status_code != 200', arcs)).toBe(`{{ ${status} != 200 }}`);
    expect(condition('response.status_code in [404, 500] or x', arcs)).toBe(`{{ ${status} in [404, 500] or x }}`);
    expect(condition('fetch.status_code in (404, 500)', arcs)).toBe(`{{ ${status} in (404, 500) }}`);
    expect(condition('fetch.status_code == (vars.a or 404)', arcs)).toBe(`{{ ${status} == (ctx.a or 404) }}`);
    expect(condition('fetch.status_code == 200', arcs)).toBe('{{ fetch.status == 200 }}');
    expect(condition("event.name == 'call.done' and fetch.status_code != 200", arcs)).toBe(
      "{{ event.name == 'step.done' and fetch.status != 200 }}",
    );
  });

  it('rows of a statement, and the end of a loop', () => {
    expect(condition('(response | length) > 0 and response[0].ok', { at: 'arcs', step: 'rows' })).toBe(
      '{{ (results.rows.rows | length) > 0 and results.rows.rows[0].ok }}',
    );
    expect(condition("event.name == 'step.done'", { at: 'arcs', step: 'each' })).toBe(
      "{{ event.name == 'loop.done' }}",
    );
  });
});

describe('in a task behind the one whose result is meant', () => {
  it.each([
    ['fetch', 'result.data.id', '_prev.data.id'],
    ['fetch', 'data.id', '_prev.data.id'],
    ['calc', 'this.total or 0', '_prev.total or 0'],
    ['calc', 'this.data.total', '_prev.total'],
    ['calc', 'response | tojson', '_prev | tojson'],
    ['calc', 'calc.total', '_prev.total'],
    ['rows', 'result', '_prev.rows'],
    ['rows', 'result[0]', '_prev.rows[0]'],
    ['each', 'item.id ~ result.status_code', 'item.id ~ _prev.status'],
  ])('of %s: %s → %s', (step, old, now) => {
    const listed = factsOf(FLOW.replace("in: '{{ rows }}'", "in: '{{ rows[0] }}'"));
    expect(named(old, { at: 'following', step }, listed)).toBe(now);
  });
});

describe('in the fields of a task', () => {
  const site: Site = { at: 'task', step: 'calc', before: [{ label: 'load', kind: 'http' }] };
  it.each([
    ['input.page', 'args.page'],
    ['load.body.id', '_prev.data.id'],
    ['load', '_prev'],
    ['result.x', 'result.x'],
    ['result.x if result is defined else 0', 'result.x if result is defined else 0'],
    ['error.message | default(0)', 'error.message | default(0)'],
    ['error.message', 'error.message'],
  ])('%s → %s', (old, now) => {
    expect(named(old, site)).toBe(now);
  });

  it('the result of the only step before', () => {
    expect(named('result.total if result is defined else 0', { at: 'task', step: 'each' })).toBe(
      'results.calc.total if results.calc is defined else 0',
    );
  });
});

describe('at the root', () => {
  it('what the request gives under the same name', () => {
    expect(named('payload.id', { at: 'root', key: 'id' })).toBe('none');
    expect(named('payload.id', { at: 'root', key: 'other' })).toBe('payload.id');
  });

  it('a token that a template fetched', () => {
    expect(named('token(fetch)', { at: 'task', step: 'calc' })).toBe(
      "! 'token(…)' fetched an access token while a template was rendered, which templates do not",
    );
  });
});

describe('variables of 002', () => {
  const document = factsOf(
    `
workflow:
  - step: a
    loop: { in: [], iterator: item }
    tool: [{ t: { kind: noop, eval: [{ else: { set_vars: { page: 1, item: 2, seen: 3, next: 4, both: 5 } } }] } }]
    next: [{ step: b, when: '{{ vars.next }}' }]
  - step: b
    tool: [{ t: { kind: noop, result: '{{ vars.seen }}', eval: [{ else: { set_vars: { both: 1, own: 2 } } }] } }]
`,
    'eval-002',
  );
  it.each([
    ['a', 'page', 'iter.page'],
    ['a', 'item', 'ctx.item'],
    ['a', 'seen', 'ctx.seen'],
    ['a', 'next', 'ctx.next'],
    ['a', 'both', 'iter.both'],
    ['b', 'both', 'ctx.b_both'],
    ['b', 'own', 'ctx.own'],
    ['b', 'unknown', 'ctx.unknown'],
  ])('in %s, %s is %s', (step, key, home) => {
    const { scope, key: now } = varHome(document, step, key);
    expect(`${scope}.${now}`).toBe(home);
    expect(named(`vars.${key}`, { at: 'task', step }, document)).toBe(home);
  });
});

it('notes say what became of what, and what to look at', () => {
  const journal = new Journal('p.yaml', FLOW);
  renamedText('{{ vars.x }} {{ calc.data }}', 3, { at: 'task', step: 'each' }, facts, journal);
  renamedText('{{ result.x }}', 3, { at: 'task', step: 'each' }, facts, journal);
  expect(journal.notes().map(({ rule, message, review }) => [rule, message, review])).toEqual([
    ['name-vars', "'vars.x' becomes 'ctx.x'", false],
    ['name-envelope', "'calc.data' becomes 'calc'", false],
    [
      'name-result',
      "'result.x' becomes 'results.calc.x': 'result' is taken for the result of the only step that leads here",
      true,
    ],
  ]);
});

it('what nothing applies to is the same tree', () => {
  const yaml = readYaml("a: ['{{ ctx.x }}', { b: plain, code: '{{ vars.x }}' }]");
  const tree =
    'error' in yaml || yaml.node.kind !== 'map'
      ? undefined
      : grow("a: ['{{ ctx.x }}', { b: plain, code: '{{ vars.x }}' }]", yaml.node)?.root;
  if (tree === undefined) throw new Error('no document');
  expect(renameNames(tree, { at: 'task', step: 'calc' }, facts, new Journal('p', ''))).toBe(tree);
});
