import { describe, expect, it } from 'vitest';
import { record } from './recorded.testing.ts';
import { createUnawaitedFold } from './unawaited-fold.ts';

/** An execution that fails, under the id of a child. */
const failed = (id: string) =>
  record('workflow: [{ step: start, tool: { kind: noop, result: "{{ nothing }}" } }]\n').events.map((event) => ({
    ...event,
    execution_id: id,
  }));

/** One that calls so many others, and waits for those of even numbers. */
const calling = (count: number) =>
  Array.from({ length: count }, (_, nth) => {
    const [event] = record('workflow: [{ step: start, tool: { kind: wait, for: signal, name: go } }]\n').events.filter(
      ({ name }) => name === 'task.waiting',
    );
    if (event?.name !== 'task.waiting') throw new Error('nothing waits');
    const child = { execution_id: `e-${nth}`, path: 'other.yaml', payload: {}, wait: nth % 2 === 0 };
    return { ...event, payload: { ...event.payload, for: 'child' as const, child } };
  });

describe('children that nobody waits for', () => {
  it('are complained about when they fail, and only they', () => {
    const fold = createUnawaitedFold();
    fold.take([...calling(4), ...failed('e-0'), ...failed('e-1'), ...failed('e-2')]);
    expect(fold.complaint(false, 'my data')).toMatch(
      /^failed: execution e-1 of other\.yaml, which nobody waits for: template: .*'nothing' is undefined.* {2}\(noetl exec status e-1 --data 'my data'\)\n$/,
    );
  });

  it('are counted after the first ten', () => {
    const fold = createUnawaitedFold();
    fold.take(calling(60));
    for (let nth = 0; nth < 60; nth++) fold.take(failed(`e-${nth}`));
    const lines = fold.complaint(false, undefined).split('\n');
    expect(lines.slice(9)).toEqual([expect.stringContaining('failed: execution e-19 of'), 'and 20 more', '']);
  });

  it('that end well are not worth a word', () => {
    const fold = createUnawaitedFold();
    fold.take(calling(4));
    expect(fold.complaint(false, undefined)).toBe('');
  });
});
