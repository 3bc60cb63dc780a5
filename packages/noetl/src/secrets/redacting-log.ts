import { redactingPieces } from './redacting-pieces.ts';
import type { Redactor } from './redactor.ts';

type Stream = 'stdout' | 'stderr';
type Log = (stream: Stream, text: string) => void;

export interface RedactingLog {
  readonly write: Log;
  /** Passes on what was held back; to be called when the tool is done. */
  flush(): void;
}

/**
 * A log without secrets, also where one arrives in pieces: what could be the beginning of a secret waits for the rest. What
 * is secret may become more while it is written.
 */
export function redactingLog(current: () => Redactor, log: Log): RedactingLog {
  const streams = { stdout: redactingPieces(current), stderr: redactingPieces(current) };
  const pass = (stream: Stream, ready: string) => {
    if (ready !== '') log(stream, ready);
  };
  return {
    write: (stream, piece) => pass(stream, streams[stream].take(piece)),
    flush: () => {
      for (const stream of ['stdout', 'stderr'] as const) pass(stream, streams[stream].end());
    },
  };
}
