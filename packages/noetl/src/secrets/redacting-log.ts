import type { Redactor } from './redactor.ts';

type Stream = 'stdout' | 'stderr';
type Log = (stream: Stream, text: string) => void;

export interface RedactingLog {
  readonly write: Log;
  /** Passes on what was held back; to be called when the tool is done. */
  flush(): void;
}

/** A log without secrets, also where one arrives in pieces: what could be the beginning of a secret waits for the rest. */
export function redactingLog({ text, pending, idle }: Redactor, log: Log): RedactingLog {
  if (idle) return { write: log, flush: () => undefined };
  const held: Record<Stream, string> = { stdout: '', stderr: '' };
  const pass = (stream: Stream, ready: string) => {
    if (ready !== '') log(stream, ready);
  };
  return {
    write: (stream, piece) => {
      const redacted = text(held[stream] + piece);
      const end = redacted.length - pending(redacted);
      held[stream] = redacted.slice(end);
      pass(stream, redacted.slice(0, end));
    },
    flush: () => {
      for (const stream of ['stdout', 'stderr'] as const) {
        pass(stream, held[stream]);
        held[stream] = '';
      }
    },
  };
}
