import type { OutcomeError } from '@noetl/engine';
import type { Place } from '@noetl/playbook';
import type { Failure } from './failures.ts';
import type { Places } from './places.ts';

/** Where in the playbook something failed: in a template the very character, else the task, the arc or the step. */
export function failurePlace({ step, label, arc, error }: Failure, places: Places | undefined): Place | undefined {
  if (places === undefined) return undefined;
  return ownPlace(error) ?? (step === undefined ? undefined : places.find(step, { label, arc }));
}

/** The error as it is told beside its place: without the place inside the template, and the line it stands on. */
export function placedError(error: OutcomeError): OutcomeError {
  if (error.kind !== 'template' || ownPlace(error) === undefined) return error;
  return { ...error, message: error.message.replace(/^\d+:\d+ /, '').replace(/\n.*$/s, '') };
}

/** Kinds whose errors know their place in the playbook. */
const PLACED: ReadonlySet<string> = new Set(['template', 'loop.items', 'limit.loop_items']);

function ownPlace({ kind, details }: OutcomeError): Place | undefined {
  if (!PLACED.has(kind) || typeof details !== 'object' || details === null || !('place' in details)) return undefined;
  // The place is one in the playbook of the child.
  if ('child' in details) return undefined;
  const { place } = details;
  if (typeof place !== 'object' || place === null || !('line' in place && 'column' in place)) return undefined;
  const { line, column } = place;
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : undefined;
}
