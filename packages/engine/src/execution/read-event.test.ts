import { describe, expect, it } from 'vitest';
import type { ExecutionEvent } from './event.ts';
import { currentForm, readEvent } from './read-event.ts';
import { planFrom, World } from './world.testing.ts';

const { log } = new World(planFrom('workflow: [{ step: start, tool: { kind: noop } }]\n')).request();
const first = log[0] as ExecutionEvent;
/** A release before this one, which called the path a name. */
const older = { ...first, payload: { ...first.payload, path: undefined, title: 't' } };
const upcasts = {
  'playbook.execution.requested': [
    (event: typeof first) => {
      const { title, ...payload } = event.payload as unknown as { title: string };
      return { ...event, v: 2, payload: { ...payload, path: title } };
    },
  ],
} as never;

describe('events of older releases', () => {
  it('are lifted to their newest form when they are read', () => {
    expect(currentForm(JSON.parse(JSON.stringify(older)), upcasts)).toMatchObject({
      kind: 'event',
      event: { v: 2, payload: { path: 't' } },
    });
  });
  it('are the very object that was read if they are of this one', () => {
    expect(currentForm(first)).toEqual({ kind: 'event', event: first });
  });
});

describe('events that cannot be read', () => {
  it.each([
    [{ ...first, v: 7 }, 'version 7 of playbook.execution.requested was written by a newer release'],
    [{ ...first, name: 'step.dreamt' }, "'step.dreamt' is no event that this release knows"],
    [{ ...first, payload: {} }, 'playbook.execution.requested.payload.path'],
    [5, 'an event is an object'],
  ])('say why', (stored, problem) => {
    expect(readEvent(JSON.parse(JSON.stringify(stored)))).toMatchObject({
      kind: 'unreadable',
      problem: expect.stringContaining(problem),
    });
  });
});
