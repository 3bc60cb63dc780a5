import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { heardWithin, Silence } from '../client/silence.ts';

/** Where spans go, and how. */
export interface OtlpTarget {
  readonly url: URL;
  /** May hold credentials: never shown. */
  readonly headers: Readonly<Record<string, string>>;
  readonly compressed: boolean;
  /** How long an answer may take, in milliseconds. */
  readonly timeout: number;
}

/** What came of a request. */
export type Sent =
  /** `rejected` spans were not taken all the same. */
  | { readonly kind: 'taken'; readonly rejected: number; readonly why: string }
  /** The same may be taken later; `after` says when at the earliest, in milliseconds. */
  | { readonly kind: 'later'; readonly after: number; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string };

/** OTLP: who answers so may be asked again. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Bytes of an answer that are looked at. */
const LONGEST_ANSWER = 64 * 1024;
/** Characters of what a receiver says that are told. */
const LONGEST_TOLD = 200;
const LONGEST_WAIT = 60_000;

/** Sends a body; it never throws, whatever the receiver does. */
export async function sendOtlp(body: string, target: OtlpTarget, signal: AbortSignal): Promise<Sent> {
  const headers = {
    'user-agent': 'noetl',
    ...target.headers,
    'content-type': 'application/json',
    ...(target.compressed ? { 'content-encoding': 'gzip' } : {}),
  };
  try {
    const bytes = target.compressed ? await promisify(gzip)(body) : Buffer.from(body);
    return await heardWithin(target.timeout, signal, async (until) => {
      const asked = { method: 'POST', redirect: 'manual', headers, body: bytes, signal: until } as const;
      const answer = await fetch(target.url, asked);
      return sentBy(answer, await textOf(answer));
    });
  } catch (error) {
    const why = error instanceof Silence ? `it did not answer within ${target.timeout} ms` : reasonOf(error);
    return { kind: 'later', after: 0, why };
  }
}

function sentBy(answer: Response, text: string): Sent {
  const said = messageIn(text);
  if (answer.ok) return { kind: 'taken', rejected: rejectedIn(text), why: said };
  const why = `it answers ${answer.status}${said === '' ? '' : `: ${said}`}`;
  if (!PASSING.has(answer.status)) return { kind: 'refused', why };
  return { kind: 'later', after: waitOf(answer.headers.get('retry-after')), why };
}

/** Seconds; a date is not worth reading. */
function waitOf(header: string | null): number {
  const seconds = Number(header);
  return header !== null && seconds > 0 ? Math.min(seconds * 1000, LONGEST_WAIT) : 0;
}

async function textOf({ body }: Response): Promise<string> {
  if (body === null) return '';
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    pieces.push(piece);
    size += piece.length;
    if (size > LONGEST_ANSWER) break;
  }
  return Buffer.concat(pieces).toString('utf8', 0, LONGEST_ANSWER);
}

type Partial = {
  readonly partialSuccess?: { readonly rejectedSpans?: unknown; readonly errorMessage?: unknown };
  readonly message?: unknown;
};

function parsed(text: string): Partial {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function rejectedIn(text: string): number {
  const count = Number(parsed(text).partialSuccess?.rejectedSpans ?? 0);
  return Number.isFinite(count) ? count : 0;
}

/** What it says, on one line: it goes into a log. */
function messageIn(text: string): string {
  const { partialSuccess, message } = parsed(text);
  const said = partialSuccess?.errorMessage ?? message ?? '';
  return typeof said === 'string' ? said.replace(/[^\x20-\x7e]+/g, ' ').slice(0, LONGEST_TOLD) : '';
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const { code } = cause as NodeJS.ErrnoException;
  return code === undefined ? cause.message : `${code}`;
}
