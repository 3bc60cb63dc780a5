import { describe, expect, it } from 'vitest';
import { migratedSteps } from '../flow/flow.testing.ts';

/** The task after migration, as its fields stand in a flow mapping or a block. */
function task(fields: string): {
  readonly now: string;
  readonly rules: readonly string[];
  readonly problems: readonly string[];
} {
  const block = fields
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
  const { steps, rules, problems } = migratedSteps(`- step: start\n  tool:\n${block}\n`);
  const body = steps.slice(steps.indexOf('  tool:\n') + '  tool:\n'.length);
  return { now: body.replace(/^ {4}/gm, '').trimEnd(), rules: [...rules].sort(), problems };
}

describe('the fields of a task (MIG-1)', () => {
  it.each([
    ['http: the address', 'kind: http\nendpoint: "http://x" # e', 'kind: http\nurl: "http://x" # e', ['tool-field']],
    [
      'http: a payload is JSON',
      'kind: http\nmethod: POST\nurl: u\npayload: { a: 1 }',
      'kind: http\nmethod: POST\nurl: u\njson: { a: 1 }',
      ['tool-field'],
    ],
    [
      'http: data of a GET goes into the address',
      'kind: http\nurl: u\ndata: { a: 1 }',
      'kind: http\nurl: u\nparams: { a: 1 }',
      ['tool-field'],
    ],
    [
      'http: data with the headers of a form',
      'kind: http\nmethod: POST\nurl: u\nheaders: { content-type: application/x-www-form-urlencoded }\ndata: { a: 1 }',
      'kind: http\nmethod: POST\nurl: u\nheaders: { content-type: application/x-www-form-urlencoded }\nform: { a: 1 }',
      ['tool-field'],
    ],
    [
      'http: certificates are always verified',
      'kind: http\nurl: u\nverify_ssl: false',
      'kind: http\nurl: u',
      ['tool-field-removed?'],
    ],
    ['a timeout is a knob', 'kind: http\nurl: u\ntimeout: 8', 'kind: http\nurl: u\nspec:\n  timeout: 8', ['task-spec']],
    [
      'a timeout that spec has already is for the author to look at',
      'kind: http\nurl: u\ntimeout: 8\nspec: { timeout: 5 }',
      'kind: http\nurl: u\nspec: { timeout: 5 }',
      ['task-spec?'],
    ],
    ['input is args', "kind: noop\ninput: { a: '{{ b }}' }", "kind: noop\nargs: { a: '{{ b }}' }", ['task-args']],
    [
      'python: libs are imported by the code',
      'kind: python\nlibs: { json: json, D: { from: decimal, import: Decimal } }\ncode: |\n  result = json.dumps(1)',
      'kind: python\ncode: |\n  import json; from decimal import Decimal as D\n  result = json.dumps(1)',
      ['python-libs'],
    ],
    [
      'python: a library that workers must have',
      'kind: python\nlibs: [psycopg2]\ncode: result = 1',
      'kind: python\ncode: result = 1',
      ['python-libs?'],
    ],
    [
      'python: no libs',
      'kind: python\nlibs: {}\ncode: result = 1',
      'kind: python\ncode: result = 1',
      ['tool-field-removed'],
    ],
    [
      'python: code of a file',
      'kind: python\nscript: { uri: ./a.py, source: { type: file } }',
      'kind: python\nfile: ./a.py',
      ['tool-script?'],
    ],
    [
      'python: code that a template gives',
      'kind: python\nscript: { uri: inline, source: { type: inline, code: "{{ workload.code }}" } }',
      'kind: python\nargs:\n  source: "{{ workload.code }}"\ncode: "exec(source, globals())"',
      ['tool-script?'],
    ],
    [
      'playbook: payload is args, the child names its result',
      'kind: playbook\npath: a/b\npayload: { a: 1 }\nreturn_step: end',
      'kind: playbook\npath: a/b\nargs: { a: 1 }',
      ['task-args', 'return-step?'],
    ],
    [
      'shell: braces of another program',
      'kind: shell\ncmds:\n  - docker ps --format "{{.Names}}" {{ workload.a }} # list',
      'kind: shell\ncmds:\n  - docker ps --format "{% raw %}{{.Names}}{% endraw %}" {{ workload.a }} # list',
      ['shell-braces'],
    ],
    [
      'http: a token that a header fetched',
      'kind: http\nurl: u\nheaders: { Authorization: "Bearer {{ token(ctx.which) }}", Accept: text/csv }',
      'kind: http\nurl: u\nauth: "{{ ctx.which }}"\nheaders: { Accept: text/csv }',
      ['auth-name?'],
    ],
    [
      'python: values that were rendered into code',
      'kind: python\ncode: |\n  def main():\n      n = {{ workload.n }} + {{ workload.n }} # {{ n }}\n      return f"{{n}}" + "{{ n }}"',
      'kind: python\nargs:\n  n_value: "{{ workload.n }}"\ncode: |\n  def main():\n      n = n_value + n_value # {{ n }}\n      return f"{{n}}" + "{{ n }}"',
      ['code-values'],
    ],
    [
      'statements: values are bound, so that their apostrophes stay single',
      `kind: postgres\nauth: pg\nquery: |\n  INSERT INTO t\n  VALUES ('{{ x | tojson | replace("'", "''") }}', {{ (a or b) | replace("'", "''") | trim }}, '{{ y | replace("a", "b") }}')\n  {% for z in zs %}, '{{ z | replace("'", "''") }}'{% endfor %}\npool: { size: 3 }`,
      `kind: postgres\nauth: pg\nquery: |\n  INSERT INTO t\n  VALUES ('{{ x | tojson }}', {{ (a or b) | trim }}, '{{ y | replace("a", "b") }}')\n  {% for z in zs %}, '{{ z }}'{% endfor %}`,
      ['sql-escapes', 'credential-declared?', 'tool-field-removed?'],
    ],
    [
      'container: a job',
      'kind: container\nruntime:\n  provider: kubernetes\n  image: i\n  activeDeadlineSeconds: 60\n  backoffLimit: 0\nenv: [{ name: A, value: b }]',
      'kind: container\nruntime: kubernetes\nimage: i\nenv:\n  A: b\nspec:\n  timeout: 60',
      ['container-job', 'task-spec', 'tool-field-removed', 'tool-field'],
    ],
    [
      'container: arguments',
      'kind: container\nimage: i\nargs: [a]',
      'kind: container\nruntime: kubernetes\nimage: i\nargs_list: [a]',
      ['container-job', 'tool-field'],
    ],
  ])('%s', (_, old, now, rules) => {
    expect(task(old)).toEqual({ now, rules: [...rules].sort(), problems: [] });
    expect(task(now)).toMatchObject({ now, problems: [] });
  });

  it.each([
    ['postgres', 'script: { uri: a.sql, source: { type: file } }', 'the kind postgres reads no files'],
    ['postgres', 'script: { uri: s3://a/b, source: { type: s3 } }', "'script' comes from s3"],
    ['shell', 'cmds: [ls]\nexports: [a]', "'exports' hands variables of the shell on, which a task does not"],
    ['http', 'url: u\nendpoint: v', "the task has both 'endpoint' and 'url', which mean the same"],
    ['http', 'url: u\nmethod: POST\njson: 1\npayload: 2', "the request has both 'payload' and 'json'"],
  ])('%s: what cannot be translated stays and is said', (kind, fields, message) => {
    const { now, problems } = task(`kind: ${kind}\n${fields}`);
    expect(now).toBe(`kind: ${kind}\n${fields}`);
    expect(problems.map((problem) => problem.replace(/^\d+: /, ''))).toEqual([message]);
  });

  it('gets a script of the network with a task of its own', () => {
    const { now, rules } = task('kind: python\nscript: { source: { type: http, endpoint: "http://x/a.py" } }');
    expect(now).toBe(
      [
        '  - name: script',
        '    kind: http',
        '    url: "http://x/a.py"',
        '    response_type: text',
        '  - kind: python',
        '    args:',
        '      source: "{{ _prev.data }}"',
        '    code: "exec(source, globals())"',
      ]
        .join('\n')
        .replace(/^ {2}/gm, ''),
    );
    expect(rules).toEqual(['tool-script?']);
  });
});
