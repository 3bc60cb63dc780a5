import type { ExecutionEvent } from '@noetl/engine';
import { ServerProblem } from './server-error.ts';
import { pathOf, type Transport } from './transport.ts';

export interface LiveOptions {
  /** Events up to here are known. */
  readonly after?: number;
  readonly signal?: AbortSignal;
}

/** How long a server may be away before it is given up, and how long to wait before asking again, in milliseconds. */
const PATIENCE = 60_000;
const PAUSE = 500;

/** The events of an execution as they happen, up to the last; who was cut off goes on where it was. */
export async function* liveEvents(
  transport: Transport,
  execution: string,
  { after = 0, signal }: LiveOptions = {},
): AsyncGenerator<ExecutionEvent> {
  let position = after;
  for (let lost = 0; ; ) {
    try {
      const stream = await opened(transport, execution, position, signal);
      if (stream === undefined) return;
      // Who answers is there, also if nothing happens for long.
      lost = 0;
      for await (const event of eventsIn(stream, signal)) {
        position = event.seq;
        yield event;
        if (event.name === 'playbook.processed') return;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if ((error instanceof ServerProblem && error.status < 500) || lost >= PATIENCE) throw error;
    }
    if (signal?.aborted) return;
    lost += PAUSE;
    await new Promise((wake) => setTimeout(wake, PAUSE));
  }
}

/** Undefined if there will be none. */
const opened = (transport: Transport, execution: string, after: number, signal: AbortSignal | undefined) =>
  transport.stream(pathOf`/api/executions/${execution}/live`, {
    headers: { 'last-event-id': String(after), accept: 'text/event-stream' },
    signal,
  });

async function* eventsIn(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ExecutionEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of piecesOf(stream, signal)) {
    rest += decoder.decode(piece, { stream: true });
    const messages = rest.split('\n\n');
    rest = messages.pop() ?? '';
    for (const message of messages) {
      const data = /^data: (.*)$/m.exec(message)?.[1];
      if (data !== undefined) yield JSON.parse(data) as ExecutionEvent;
    }
  }
}

/** A signal that fetch was given counts until its request is garbage, which may be long before the stream ends: it is ended here. */
async function* piecesOf(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  const cancel = (): Promise<void> => reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', cancel);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
    await cancel();
  }
}
