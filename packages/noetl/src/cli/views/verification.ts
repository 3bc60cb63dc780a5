import type { JsonMap } from '@noetl/playbook';
import type { Difference } from '../../server/verify/difference.ts';
import type { Verification } from '../../server/verify/verify-execution.ts';
import { type Line, paint, tinted } from './line.ts';
import { grouped, things } from './quantity.ts';
import { visible } from './visible.ts';

/** An execution on a line, with what was looked at; a difference below it. */
export function verificationText(verification: Verification, color: boolean): string {
  const { execution, difference } = verification;
  const lines: readonly Line[] =
    difference === undefined
      ? [[tinted('green', '✓ '), tinted('bold', visible(execution)), ` intact: ${looked(verification)}`]]
      : [
          [tinted('red', '✗ '), tinted('bold', visible(execution)), ` ${visible(difference.message)}`],
          ...(difference.place === undefined ? [] : [side('where', difference.place)]),
          side('expected', difference.expected),
          side('found', difference.found),
          side('looked at', looked(verification)),
          side('to do', remedy(difference)),
        ];
  return lines.map((line) => `${paint(line, color)}\n`).join('');
}

const side = (title: string, text: string): Line => [tinted('dim', `    ${title.padEnd(11)}`), visible(text)];

function looked({ events, iterations, snapshots, results, resultBytes }: Verification): string {
  const parts = [
    things(events, 'event'),
    ...(iterations === 0 ? [] : [things(iterations, 'iteration')]),
    ...(snapshots === 0 ? [] : [things(snapshots, 'snapshot')]),
    ...(results === 0 ? [] : [`${things(results, 'stored result')} (${grouped(resultBytes)} bytes)`]),
  ];
  return parts.join(', ');
}

function remedy({ what, found }: Difference): string {
  if (what === 'snapshot') return 'nothing: the log is folded instead, and the next snapshot takes its place';
  if (what === 'result.unknown') return 'say in the environment where that store is, and verify again';
  if (what === 'store' && found === 'NOETL_STORE_UNREACHABLE') return 'let the store be reached, and verify again';
  const restore = 'restore the data folder from a backup';
  if (what === 'fact' || what === 'index') return `${restore}; the log up to here is intact, and says what is right`;
  return `${restore}; what was there cannot be told from the rest`;
}

/** The same as one line of JSON. */
export function verificationJson(verification: Verification): string {
  const { execution, events, hash, iterations, snapshots, results, resultBytes, difference } = verification;
  const looked = { events, hash, iterations, snapshots, results, result_bytes: resultBytes };
  const intact = difference === undefined;
  return `${JSON.stringify({ execution_id: execution, intact, ...looked, difference: difference ?? null })}\n`;
}

/** What that line says. */
export function verificationOf(json: JsonMap): Verification {
  const { execution_id, events, hash, iterations, snapshots, results, result_bytes, difference } = json as unknown as {
    readonly execution_id: string;
    readonly result_bytes: number;
    readonly difference: Difference | null;
  } & Verification;
  const looked = { events, hash, iterations, snapshots, results, resultBytes: result_bytes };
  return { execution: execution_id, ...looked, difference: difference ?? undefined };
}

/** Events that belong to no execution, as if they were those of one. */
export const strayEvents = (events: number): Verification => ({
  execution: '',
  events,
  hash: '',
  iterations: 0,
  snapshots: 0,
  results: 0,
  resultBytes: 0,
  difference: {
    what: 'event.extra',
    place: 'events',
    expected: 'no events without an execution',
    found: things(events, 'event'),
    message: `${things(events, 'event')} belong to no execution: its row is missing`,
  },
});
