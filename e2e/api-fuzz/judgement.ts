import { type Canary, sightings } from '../canary.testing.ts';
import { root } from '../program.testing.ts';
import type { WireAnswer } from './exchange.ts';
import type { WireRequest } from './generate.ts';
import { REQUEST_LIMIT } from './request-limit.ts';

/** What a trace of calls, or a file of the program, looks like. */
const INNER = [/\n? {2,}at .{1,200}:\d+:\d+/, /\\n +at /, /node:internal/, /\.[jt]s:\d+:\d+/, /dist\/bundle/];

/** What is wrong with an answer; undefined if nothing is. */
export function problemOf(
  { maySilent, method, bytes: sent }: Pick<WireRequest, 'maySilent' | 'method' | 'bytes'>,
  answer: WireAnswer,
  secrets: readonly Canary[],
): string | undefined {
  const { status, type, bytes, ended } = answer;
  if (status === undefined) {
    if (bytes.length > 0) return 'answers with something that is no HTTP';
    // What is sent on after the answer makes TCP forget it.
    if (maySilent || (ended && sent.length > REQUEST_LIMIT)) return undefined;
    return ended ? 'ends the connection without an answer' : 'does not answer';
  }
  if (status < 200 || (status >= 300 && status < 400) || status >= 500) return `answers with ${status}`;
  const text = bytes.toString('utf8');
  if (status >= 400 && method !== 'HEAD' && !(type.startsWith('application/problem+json') && text.includes('"NOETL_')))
    return `answers with ${status} and no problem document`;
  if (INNER.some((inner) => inner.test(text)) || text.includes(root)) return 'tells of its inner life';
  const [seen] = sightings(new Map([['answer', bytes]]), secrets);
  return seen && `tells a secret: ${seen}`;
}
