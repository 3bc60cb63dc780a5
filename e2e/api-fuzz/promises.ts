import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { WireAnswer } from './exchange.ts';
import type { WireRequest } from './generate.ts';
import { nameOf, type Operation } from './operations.ts';

type Broken = (request: WireRequest, answer: WireAnswer) => string | undefined;

/** What of the OpenAPI document an answer does not keep; undefined if it keeps all. */
export function promisesOf(operations: readonly Operation[]): Broken {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const promised = new Map<string, Operation['promised'] & { readonly isKept: ValidateFunction }>();
  for (const operation of operations) {
    promised.set(nameOf(operation), { ...operation.promised, isKept: ajv.compile(operation.promised.schema) });
  }
  return ({ operation, elsewhere, tampered, method }, { status, type, bytes, ended }) => {
    if (status === undefined || status >= 300 || elsewhere || method === 'HEAD') return undefined;
    const promise = promised.get(operation);
    if (promise === undefined) return 'is not described';
    if (status !== promise.status) return `answers with ${status}, and ${promise.status} is described`;
    const [wanted, given] = [promise.type, type].map((name) => name.split(';')[0]);
    if (given !== wanted) return `answers with ${type}, and ${promise.type} is described`;
    // What goes on for ever, or was cut off by us, has no end to look at.
    if (given !== 'application/json' || !ended) return undefined;
    const body = jsonOf(bytes);
    if (body === undefined) return 'answers with something that is no JSON';
    if (!promise.isKept(body)) return `answers with what is not described: ${ajv.errorsText(promise.isKept.errors)}`;
    return tampered && !isRefusal(operation, body) ? 'takes a lease that was never given' : undefined;
  };
}

/** Where several leases come at a time, each is refused on its own; and what nobody holds may be given back as often as one likes. */
function isRefusal(operation: string, body: unknown): boolean {
  const { answers, gone } = (body ?? {}) as { readonly answers?: unknown; readonly gone?: unknown };
  if (operation.endsWith('/release')) return true;
  if (operation.endsWith('/report')) return Array.isArray(answers) && answers.every((one) => one === 'gone');
  return operation.endsWith('/heartbeat') && Array.isArray(gone) && gone.length === 1;
}

/** The body of an answer, also of one that came in chunks. */
function jsonOf(bytes: Buffer): unknown {
  const at = bytes.indexOf('\r\n\r\n');
  const head = bytes.subarray(0, at).toString('latin1');
  const rest = bytes.subarray(at + 4);
  try {
    return JSON.parse((/^transfer-encoding: *chunked/im.test(head) ? unchunked(rest) : rest).toString('utf8'));
  } catch {
    return undefined;
  }
}

function unchunked(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.subarray(at, line).toString('latin1'), 16);
    if (line < 0 || !(size > 0)) return Buffer.concat(pieces);
    pieces.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}
