import { Random } from '../../conformance/jinja/fuzzing/random.ts';
import { CONTENT_TYPES, HOSTILE_HEADERS, HOSTILE_JSON, HOSTILE_PATHS, HOSTILE_TEXTS, METHODS } from './hostile.ts';
import { nameOf, type Operation } from './operations.ts';
import { REQUEST_LIMIT } from './request-limit.ts';
import { type Known, mutated, valueFor } from './schema-values.ts';
import type { LeaseTicket } from './taken-work.ts';

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly operation: string;
  readonly bytes: Buffer;
  /** Whether the server may keep silent: it waits for the rest, for work, or for what happens next. */
  readonly maySilent: boolean;
  readonly method: string;
  /** Whether it asks for something else than its operation. */
  readonly elsewhere: boolean;
  /** Whether it shows a lease that was never given, and nothing else is wrong with it. */
  readonly tampered: boolean;
}

export interface Target {
  readonly operations: readonly Operation[];
  readonly known: Known;
  readonly host: string;
  readonly tokens: readonly string[];
  /** What workers hold, each of another one. */
  readonly leases: readonly LeaseTicket[];
}

interface Draft {
  method: string;
  path: string;
  query: string;
  headers: string[];
  body: Buffer | undefined;
  type: string | undefined;
  /** How many bytes of it are sent. */
  share: number;
  /** Whether it asks for something else than its operation. */
  elsewhere: boolean;
  tampered: boolean;
}

/** So long that it is waited for: work that comes, events that happen. */
const WAITS = /\/(claim|live)$/;

/** The same seed and index always give the same request of the same operations. */
export function generateRequest(target: Target, seed: number, index: number): WireRequest {
  const random = new Random(seed, index);
  const operation = random.pick(target.operations);
  const draft = validDraft(operation, target, random);
  const rounds = random.chance(0.25) ? 0 : random.int(1, 3);
  for (let round = 0; round < rounds; round++) random.pick(MUTATIONS)(draft, operation, target, random);
  return {
    operation: nameOf(operation),
    bytes: written(draft, target),
    maySilent: draft.share < 1 || WAITS.test(draft.path) || odd(draft),
    method: draft.method,
    elsewhere: draft.elsewhere,
    tampered: draft.tampered,
  };
}

function validDraft({ method, path, parameters, body }: Operation, target: Target, random: Random): Draft {
  const { known, tokens } = target;
  const value = (name: string, schema: object): string => String(valueFor(schema, name, known, random));
  const query = parameters.filter(
    (parameter) => parameter.in === 'query' && (parameter.required || random.chance(0.4)),
  );
  return {
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const schema = parameters.find((parameter) => parameter.name === name)?.schema ?? {};
      return escaped(value(nameIn(path, name), schema));
    }),
    query: query.map(({ name, schema }) => `${name}=${escaped(value(name, schema))}`).join('&'),
    headers: [`Authorization: Bearer ${random.pick(tokens)}`],
    body: body && Buffer.from(JSON.stringify(ofOwnExecution(valueFor(body.schema, 'body', known, random))) ?? ''),
    type: body?.type,
    share: 1,
    elsewhere: false,
    tampered: false,
    ...(path === STORED ? storing(random.pick(target.leases), random.pick(tokens)) : {}),
  };
}

/** SEC-1: under a lease one reads the log of its own execution, and of those that are related to it. */
function ofOwnExecution(body: unknown): unknown {
  if (!isMap(body) || !isMap(body.lease)) return body;
  const { execution } = body.lease;
  if (isMap(body.source)) return { ...body, source: { ...body.source, execution_id: execution } };
  return 'execution' in body ? { ...body, execution } : body;
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Takes bytes, under the lease of a header. */
const STORED = '/api/work/results';
const LEASE_HEADER = 'Noetl-Lease:';

const storing = (lease: unknown, token: string): Pick<Draft, 'headers' | 'body' | 'type'> => ({
  headers: [`Authorization: Bearer ${token}`, leaseHeader(lease)],
  body: Buffer.from(JSON.stringify({ stored: [1, 'two', null] })),
  type: 'application/octet-stream',
});

const leaseHeader = (lease: unknown): string =>
  `${LEASE_HEADER} ${Buffer.from(JSON.stringify(lease)).toString('base64url')}`;

/** What a parameter means where its name alone does not tell. */
const nameIn = (path: string, name: string): string =>
  path.startsWith('/api/credentials') ? 'credential' : path.startsWith('/api/playbooks') ? 'playbook_id' : name;

type Mutation = (draft: Draft, operation: Operation, target: Target, random: Random) => void;

const changedBody: Mutation = (draft, { body }, { known }, random) => {
  if (body === undefined) return;
  let value = valueFor(body.schema, 'body', known, random);
  for (let round = random.int(1, 3); round > 0; round--) value = mutated(value, random);
  draft.body = Buffer.from(JSON.stringify(value) ?? '');
  draft.tampered = false;
};

/** SEC-1: a lease that is nearly the one that was given: of another round, worker, piece of work or execution, or not proved. */
const tamperedLease: Mutation = (draft, { path, body }, { known, leases }, random) => {
  const [lease, other] = [random.pick(leases), random.pick(leases)];
  const changes = [
    { epoch: lease.epoch + random.int(1, 3) },
    { epoch: 0 },
    { worker: `${lease.worker}x` },
    { work: `${lease.work}x` },
    { execution: `${lease.execution}x` },
    { capability: '' },
    { capability: `${lease.capability.startsWith('A') ? 'B' : 'A'}${lease.capability.slice(1)}` },
    ...(other === lease ? [] : [{ capability: other.capability }, { execution: other.execution }]),
  ];
  const wrong = { ...lease, ...random.pick(changes) };
  if (path === STORED) {
    draft.headers = draft.headers.map((line) => (line.startsWith(LEASE_HEADER) ? leaseHeader(wrong) : line));
  } else {
    const given = body && valueFor(body.schema, 'body', known, random);
    const told = tamperedBody(path, given, wrong);
    if (told === undefined) return;
    draft.body = Buffer.from(JSON.stringify(told));
  }
  draft.tampered = true;
};

function tamperedBody(path: string, given: unknown, lease: LeaseTicket): object | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  if (path === '/api/work/report') return { reports: [{ lease, nth: 1, events: [] }] };
  if (path === '/api/work/heartbeat') return { ...given, leases: [lease] };
  return path.startsWith('/api/work/') && 'lease' in given ? { ...given, lease } : undefined;
}

const brokenBody: Mutation = (draft, _operation, _target, random) => {
  const bytes = Buffer.from(draft.body ?? '{"a": [1, "x"]}');
  const way = random.fraction();
  if (way < 0.3) {
    draft.body = Buffer.from(random.pick(HOSTILE_JSON));
  } else if (way < 0.5) {
    draft.body = bytes.subarray(0, random.int(0, bytes.length));
  } else {
    for (let round = random.int(1, 4); round > 0 && bytes.length > 0; round--)
      bytes[random.int(0, bytes.length - 1)] = random.int(0, 255);
    draft.body = bytes;
  }
  draft.type ??= 'application/json';
  draft.tampered = false;
};

const largeBody: Mutation = (draft, _operation, _target, random) => {
  if (!random.chance(0.05)) return;
  draft.body = Buffer.from(JSON.stringify({ text: 'x'.repeat(REQUEST_LIMIT + 1), name: 'a' }));
  draft.type ??= 'application/json';
};

const otherPath: Mutation = (draft, { path }, _target, random) => {
  if (random.chance(0.3)) {
    const [before = '', after = ''] = random.pick(HOSTILE_PATHS).split(/\?(.*)/s);
    draft.path = before;
    draft.elsewhere = true;
    draft.query = after;
    return;
  }
  draft.path = path.replace(/\{\w+\}/g, () => {
    const text = random.pick(HOSTILE_TEXTS);
    return random.chance(0.7)
      ? escaped(text)
      : Buffer.from(text)
          .toString('latin1')
          .replace(/[\s\0?#]/g, '');
  });
};

const otherQuery: Mutation = (draft, { parameters }, _target, random) => {
  const names = [...parameters.map(({ name }) => name), '__proto__', 'limit', 'after', ''];
  draft.query = random
    .many(1, 4, () => {
      const name = random.pick(names);
      const text = random.pick(HOSTILE_TEXTS);
      const place = random.chance(0.2) ? `${name}[${escaped(text)}]` : name;
      return random.chance(0.1) ? place : `${place}=${escaped(text)}`;
    })
    .join('&');
};

const otherHeaders: Mutation = (draft, _operation, _target, random) => {
  draft.headers.push(...random.many(1, 3, () => random.pick(HOSTILE_HEADERS)));
};

const nobody: Mutation = (draft) => {
  draft.headers = draft.headers.filter((line) => !line.startsWith('Authorization'));
};

const otherType: Mutation = (draft, _operation, _target, random) => {
  draft.type = random.pick(CONTENT_TYPES);
  draft.body ??= Buffer.from('{}');
};

const otherMethod: Mutation = (draft, _operation, _target, random) => {
  draft.method = random.pick(METHODS);
  draft.elsewhere = true;
};

const halfSent: Mutation = (draft, _operation, _target, random) => {
  if (random.chance(0.5)) draft.share = random.fraction();
};

const MUTATIONS: readonly Mutation[] = [
  ...[changedBody, changedBody, changedBody, brokenBody, largeBody, otherPath, otherPath, otherQuery, otherQuery],
  ...[otherHeaders, otherHeaders, nobody, otherType, otherMethod, halfSent, tamperedLease, tamperedLease],
];

/** Heads that make a server wait for more than was sent. */
const odd = ({ headers }: Draft): boolean =>
  headers.some((line) => /^(Content-Length|Transfer-Encoding|Connection)/.test(line));

function written({ method, path, query, headers, body, type, share }: Draft, { host }: Target): Buffer {
  const own = headers.some((line) => line.startsWith('Host:')) ? [] : [`Host: ${host}`];
  const sized = body === undefined || headers.some((line) => /^(Content-Length|Transfer-Encoding)/.test(line));
  const head = [
    `${method} ${path}${query === '' ? '' : `?${query}`} HTTP/1.1`,
    ...own,
    ...headers,
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ...(sized ? [] : [`Content-Length: ${body.length}`]),
    ...(headers.some((line) => line.startsWith('Connection')) ? [] : ['Connection: close']),
  ];
  const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body ?? Buffer.alloc(0)]);
  return share < 1 ? bytes.subarray(0, Math.floor(bytes.length * share)) : bytes;
}

/** Percent-encoded, also what `encodeURIComponent` refuses. */
const escaped = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) =>
      /[\w.~-]/.test(String.fromCharCode(byte)) && byte < 128
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');
