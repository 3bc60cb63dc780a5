import { redactingPieces } from './redacting-pieces.ts';
import type { Redactor } from './redactor.ts';

type Stream = 'stdout' | 'stderr';
type Log = (stream: Stream, text: string) => void;

export interface RedactingLog {
  readonly write: Log;
  /** Passes on what was held back; to be called when the tool is done. */
  flush(): void;
}

/** A log without secrets, also where one arrives in pieces: what could be the beginning of a secret waits for the rest. */
export function redactingLog(redactor: Redactor, log: Log): RedactingLog {
  if (redactor.idle) return { write: log, flush: () => undefined };
  const streams = { stdout: redactingPieces(redactor), stderr: redactingPieces(redactor) };
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
