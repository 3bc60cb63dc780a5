import type { Field, KindSchema } from './kind-schema.ts';

const text = (description: string, more: Partial<Field> = {}): Field => ({ type: 'text', description, ...more });
const required = { required: true } as const;

const sqlFields: Readonly<Record<string, Field>> = {
  command: text('One or more SQL statements, run in one transaction. Every {{ }} becomes a bound parameter.'),
  query: text('The same as command; reads better for a SELECT.'),
  commands: { type: 'text-list', description: 'SQL statements, run one after the other in one transaction.' },
  params: {
    type: 'any',
    description: 'Values for placeholders that the statement itself contains: a list or a mapping.',
  },
};

const processFields: Readonly<Record<string, Field>> = {
  env: { type: 'map', description: 'Environment variables beside those of the worker.' },
  cwd: text('The folder to run in, relative to the playbook; the working directory of the worker otherwise.'),
};

const codeFields: Readonly<Record<string, Field>> = {
  code: text('The source. It is never templated: pass values with args.', { verbatim: true }),
  file: text('A file with the source, relative to the playbook. Modules beside it can be imported.'),
  entry: text(
    'The function to call with the args it declares: in Python by name, in JavaScript as the fields of one object.',
    {
      fallback: 'main',
    },
  ),
};

/** Every kind of TOOL-2, by name. */
export const KIND_SCHEMAS: Readonly<Record<string, KindSchema>> = {
  http: {
    kind: 'http',
    summary: 'Calls an HTTP endpoint.',
    result: '`{status, headers, data}`; a status outside 2xx is an error outcome that keeps its body.',
    fields: {
      method: text('The HTTP method.', { fallback: 'GET' }),
      url: text('The address, http or https. A user and password in it become basic authorization.', required),
      params: {
        type: 'map',
        description: 'Query parameters, added to the address. A list comes several times, null not at all.',
      },
      headers: { type: 'map', description: 'Request headers, over those that the tool sets itself.' },
      json: { type: 'any', description: 'A body sent as JSON.' },
      body: { type: 'any', description: 'A body sent as it is; what is no text, as JSON.' },
      form: { type: 'map', description: 'A body sent as application/x-www-form-urlencoded.' },
      files: {
        type: 'any',
        description:
          'Files sent as a multipart form, by name: a path, {path, filename, type}, {content | base64, filename, type}, or a list.',
      },
      follow_redirects: { type: 'boolean', description: 'Whether to follow redirects, at most 10.', fallback: true },
      response_type: text('How to read the body; as its type says otherwise.', { values: ['json', 'text', 'binary'] }),
    },
    groups: { atMostOne: [['json', 'body', 'form', 'files']] },
    example: 'kind: http\nmethod: GET\nurl: "{{ workload.api_url }}/items"\nparams: { page: 1 }',
  },
  postgres: {
    kind: 'postgres',
    summary: 'Runs SQL on PostgreSQL.',
    result: '`{rows, row_count, columns}` of the last statement, and `command_<n>` of each.',
    fields: {
      ...sqlFields,
      dsn: text(
        'The connection string, `postgresql://user:password@host:5432/database` or `host=… dbname=… user=…`; usually `auth` names a credential instead.',
      ),
      table: text('A table to load `rows` into, in bulk: `orders` or `sales.orders`, written as the database has it.'),
      rows: {
        type: 'any',
        description: 'Rows to load into `table`: mappings from columns to values. A column without a value is null.',
      },
    },
    groups: { exactlyOne: [['command', 'query', 'commands', 'table']], together: [['table', 'rows']] },
    example: 'kind: postgres\nauth: warehouse\nquery: "SELECT * FROM orders WHERE id = {{ args.id }}"',
  },
  snowflake: {
    kind: 'snowflake',
    summary: 'Runs SQL on Snowflake.',
    result: '`{rows, row_count, columns}` of the last statement, and `command_<n>` of each.',
    fields: { ...sqlFields, dsn: text('The connection string; usually `auth` names a credential instead.') },
    groups: { exactlyOne: [['command', 'query', 'commands']] },
    example: 'kind: snowflake\nauth: lake\nquery: "SELECT 1"',
  },
  duckdb: {
    kind: 'duckdb',
    summary: 'Runs SQL on DuckDB, in memory or in a file.',
    result: '`{rows, row_count, columns}` of the last statement, and `command_<n>` of each.',
    fields: {
      ...sqlFields,
      database: text('A file, relative to the playbook, or `:memory:`, which begins empty and ends with the task.', {
        fallback: ':memory:',
      }),
      dsn: text('The same as database, also as `duckdb:…`.'),
    },
    groups: { exactlyOne: [['command', 'query', 'commands']], atMostOne: [['database', 'dsn']] },
    example: 'kind: duckdb\nquery: "SELECT 42 AS answer"',
  },
  python: {
    kind: 'python',
    summary: 'Runs Python code in CPython.',
    result: 'The variable `result`, or what the entry function returns.',
    fields: {
      ...codeFields,
      libs: { type: 'any', description: 'The folder of a virtualenv, whose interpreter runs the code.' },
    },
    groups: { exactlyOne: [['code', 'file']] },
    example: 'kind: python\nargs: { n: 3 }\ncode: |\n  def main(n):\n      return n * 2',
  },
  javascript: {
    kind: 'javascript',
    summary: 'Runs JavaScript code in a process of its own.',
    result: 'The variable `result`, or what the entry function returns.',
    fields: {
      ...codeFields,
      libs: {
        type: 'any',
        description:
          'The folder whose `node_modules` has the modules, for require and import; that of the playbook or of the file otherwise.',
      },
    },
    groups: { exactlyOne: [['code', 'file']] },
    example: 'kind: javascript\nargs: { n: 3 }\ncode: |\n  function main({ n }) {\n    return n * 2;\n  }',
  },
  secrets: {
    kind: 'secrets',
    summary: 'Resolves a secret while the playbook runs.',
    result: 'A credential handle; never the value.',
    fields: {
      provider: text('Who keeps the secret; the one of the installation otherwise, as in the keychain.', {
        values: ['env', 'file', 'vault', 'gcp', 'aws', 'azure'],
      }),
      key: text('The name of one secret.'),
      map: { type: 'map', description: 'Names of several secrets, by field.' },
    },
    groups: { exactlyOne: [['key', 'map']] },
    example: 'kind: secrets\nprovider: env\nkey: API_TOKEN',
  },
  playbook: {
    kind: 'playbook',
    summary: 'Runs another playbook as a child execution; `args` is its payload.',
    result: "The child's result.",
    fields: {
      path: text('A path of the catalog, or a file relative to this one.', required),
      version: { type: 'any', description: 'The version; the newest otherwise.' },
      wait: { type: 'boolean', description: 'Whether to wait for its end.', fallback: true },
    },
    example: 'kind: playbook\npath: ./child.yaml\nargs: { city: Oslo }',
  },
  workbook: {
    kind: 'workbook',
    summary: 'Runs a task of the workbook; `args` go over those of the token.',
    result: 'The result of that task.',
    fields: { name: text('The name of the task in the workbook.', required) },
    example: 'kind: workbook\nname: clean_row\nargs: { row: 1 }',
  },
  noop: {
    kind: 'noop',
    summary: 'Does nothing; useful to name a place, to route, or to shape a result.',
    result: 'Its `result`, rendered.',
    fields: { result: { type: 'any', description: 'What it gives as its result; null otherwise.' } },
    example: 'kind: noop\nresult: { total: "{{ ctx.total }}" }',
  },
  wait: {
    kind: 'wait',
    summary: 'Waits for a signal, an approval, a while, or a time, without holding a worker.',
    result: "The signal's payload, and who sent it when.",
    fields: {
      for: text('What to wait for.', { required: true, values: ['signal', 'approval', 'delay', 'until'] }),
      name: text('The name of the signal or approval.'),
      seconds: { type: 'number', description: 'How long, with `for: delay`.' },
      until: text('The time, RFC 3339, with `for: until`.'),
      form: { type: 'any', description: 'What to ask of the person who approves.' },
    },
    groups: {
      needs: [
        { field: 'for', is: 'signal', needs: 'name' },
        { field: 'for', is: 'approval', needs: 'name' },
        { field: 'for', is: 'delay', needs: 'seconds' },
        { field: 'for', is: 'until', needs: 'until' },
      ],
    },
    example: 'kind: wait\nfor: delay\nseconds: 1',
  },
  script: {
    kind: 'script',
    summary: 'Runs a script with an interpreter; values are passed as arguments, never spliced in.',
    result: '`{exit_code, stdout, stderr}`.',
    fields: {
      file: text('A file with the script, relative to the playbook.'),
      inline: text('The script itself. It is never templated.', { verbatim: true }),
      interpreter: text('The program that runs it.', { fallback: 'sh' }),
      argv: { type: 'list', description: 'Arguments; each rendered value is one argument.' },
      stdin: text('Text for its standard input.'),
      ...processFields,
    },
    groups: { exactlyOne: [['file', 'inline']] },
    example: 'kind: script\ninterpreter: sh\ninline: echo "$1"\nargv: ["{{ workload.name }}"]',
  },
  shell: {
    kind: 'shell',
    summary: 'Runs a program, or lines by sh with values passed as environment variables.',
    result: '`{exit_code, stdout, stderr}`.',
    fields: {
      command: {
        type: 'list',
        description: 'A program and its arguments; each rendered value is one argument.',
        mistaken: 'Write a list: [ls, -l]; a line for sh is an item of cmds: cmds: ["ls -l"].',
      },
      cmds: { type: 'text-list', description: 'Lines run by sh; a {{ }} becomes an environment variable.' },
      ...processFields,
    },
    groups: { exactlyOne: [['command', 'cmds']] },
    example: 'kind: shell\ncmds:\n  - echo "{{ workload.name }}"',
  },
  container: {
    kind: 'container',
    summary: 'Runs a container on Docker or Kubernetes.',
    result: '`{exit_code, stdout, stderr}` and its logs.',
    fields: {
      image: text('The image.', required),
      command: { type: 'list', description: 'What to run instead of its entry point.' },
      args_list: { type: 'list', description: 'Arguments for it.' },
      env: { type: 'map', description: 'Environment variables.' },
      resources: { type: 'map', description: 'CPU and memory it may use.' },
      runtime: text('Where to run it.', {
        values: ['docker', 'kubernetes'],
        fallback: 'docker',
        mistaken:
          'Write docker or kubernetes, with image, command and the like beside it; noetl migrate rewrites it, --legacy takes it as it is.',
      }),
      namespace: text('The Kubernetes namespace.'),
    },
    example: 'kind: container\nimage: alpine\ncommand: [echo, hello]',
  },
  gcs: {
    kind: 'gcs',
    summary: 'Moves objects to and from Google Cloud Storage.',
    result: "The object's metadata.",
    fields: {
      operation: text('What to do.', { required: true, values: ['upload', 'download', 'list', 'delete'] }),
      bucket: text('The bucket.', required),
      object: text('The object.'),
      source: text('The file to upload.'),
      destination: text('The file to download to.'),
    },
    groups: {
      needs: [
        { field: 'operation', is: 'upload', needs: 'source' },
        { field: 'operation', is: 'upload', needs: 'object' },
        { field: 'operation', is: 'download', needs: 'object' },
        { field: 'operation', is: 'download', needs: 'destination' },
        { field: 'operation', is: 'delete', needs: 'object' },
      ],
    },
    example: 'kind: gcs\noperation: list\nbucket: results',
  },
  quantum: {
    kind: 'quantum',
    summary: 'Runs a quantum circuit.',
    result: '`{job_id, counts, metadata}`.',
    fields: {
      provider: text('Who runs it.', { fallback: 'simulator' }),
      backend: text('The machine or simulator.'),
      circuit: text('The circuit in OpenQASM.', required),
      shots: { type: 'integer', description: 'How often to run it.', fallback: 1024 },
      params: { type: 'map', description: 'Parameters of the circuit.' },
      seed: { type: 'integer', description: 'Makes a simulation repeatable.' },
      tags: { type: 'any', description: 'Tags of the job.' },
    },
    example: 'kind: quantum\ncircuit: |\n  OPENQASM 2.0;\n  qreg q[1];\nshots: 10',
  },
};

export const KINDS: readonly string[] = Object.keys(KIND_SCHEMAS);
export const kindSchema = (kind: string): KindSchema | undefined =>
  Object.hasOwn(KIND_SCHEMAS, kind) ? KIND_SCHEMAS[kind] : undefined;
