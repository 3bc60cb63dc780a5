import { describe, expect, it } from 'vitest';
import { comparableValue } from './comparable-value.ts';

const ID = '01m7fgmqyagnkahfej6m';
const comparable = (value: Parameters<typeof comparableValue>[0], id = ID) => comparableValue(value, id);

describe('a value that is compared', () => {
  it('has no id of its execution, nor of its children, but keeps words that hold it', () => {
    expect(comparable(`run ${ID}, child ${ID}-3-1-1-1`)).toBe('run (execution), child (execution)-3-1-1-1');
    expect(comparable({ done: 'done', one: ['one', 'x-one'] }, 'one')).toEqual({
      done: 'done',
      one: ['(execution)', 'x-one'],
    });
    expect(comparable('a.b', 'a+b')).toBe('a.b');
  });

  it('has neither the headers of an http answer nor the time of a signal', () => {
    expect(comparable({ status: 200, headers: { date: 'now' }, data: 1 })).toEqual({ status: 200, data: 1 });
    expect(comparable({ payload: 1, by: 'ada', at: 'now' })).toEqual({ payload: 1, by: 'ada' });
    const other = { status: 200, headers: {}, data: 1, more: true };
    expect(comparable(other)).toBe(other);
  });

  it('has the content of a reference, and not where it is stored', () => {
    const reference = { $noetl: 'reference', store: 'file', key: 'k', checksum: 'c', size: 1, schema_hint: 'x' };
    expect(comparable([reference])).toEqual([{ $noetl: 'reference', checksum: 'c', size: 1, schema_hint: 'x' }]);
    const sources = [{ execution_id: ID, loop: `${ID}:1`, until: null }];
    expect(comparable({ $noetl: 'manifest', total: 3, ok: 3, failed: 0, sources })).toEqual({
      $noetl: 'manifest',
      total: 3,
      ok: 3,
      failed: 0,
    });
  });

  it('has errors of code without the name of the file', () => {
    const error = (file: string) => ({
      kind: 'python.exception',
      message: `boom (${file}:12: x())`,
      details: { traceback: [{ file, line: 12 }, { file: '', line: 1 }, null] },
    });
    expect(comparable(error('order.yaml'))).toEqual(comparable(error('shop/order')));
    expect(comparable(error('order.yaml'))).toMatchObject({ message: 'boom ((file):12: x())' });
  });

  it('is not copied where there is nothing to leave out', () => {
    const value = { a: [1, { b: null }], message: 'text', details: {} };
    expect(comparable(value)).toBe(value);
  });
});
