import type { ExecutionEvent } from '@noetl/engine';
import { StoreError } from '../../ports/store-error.ts';
import { SEPARATOR } from './sql/event-rows.ts';

/** The events of an execution in a list of their texts. Whoever has damaged the file is not met by who only reads them. */
export function eventsIn(execution: string, texts: string): readonly ExecutionEvent[] {
  const events = parsed(`[${texts}]`);
  if (Array.isArray(events) && events.every(isEvent)) return events;
  throw damaged(execution, texts);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether it has the parts that every event has. What they hold is for `exec verify`, which compares it with its hash. */
function isEvent(value: unknown): value is ExecutionEvent {
  if (typeof value !== 'object' || value === null) return false;
  const { name, seq, execution_id, payload } = value as Partial<ExecutionEvent>;
  return (
    typeof name === 'string' &&
    typeof seq === 'number' &&
    typeof execution_id === 'string' &&
    typeof payload === 'object' &&
    payload !== null
  );
}

function damaged(execution: string, texts: string): StoreError {
  let before = 0;
  for (const text of texts.split(SEPARATOR)) {
    const event = parsed(text);
    if (!isEvent(event)) break;
    before = event.seq;
  }
  const where = before === 0 ? 'an event' : `the event behind event ${before}`;
  return new StoreError(
    'NOETL_STORE_CORRUPT',
    `${where} of the execution '${execution}' is damaged. What is wrong: noetl exec verify ${execution}`,
    { execution },
  );
}
