import { failure } from '@noetl/engine';
import { expect, it } from 'vitest';
import { toldElsewhere } from './missing-elsewhere.ts';

const messageOf = (message: string) =>
  toldElsewhere({ status: 'error', result: null, error: failure('task.field', message) }).error?.message;

it.each([
  "'file' of the task 't': there is no file 'a.py'.",
  "'libs' of the task 't': there is no '/tmp/lent/venv/bin/python'; python3 -m venv 'venv' makes a virtualenv.",
  `statement 1 of the task 't' failed: No files found that match the pattern "rows.csv"`,
  "FileNotFoundError: [Errno 2] No such file or directory: 'rows.csv'",
  "Cannot find module './near'",
])('a task that misses something of another machine says what to do: %s', (message) => {
  const told = messageOf(message);
  expect(told).toContain(message);
  expect(told).toContain('name them by absolute paths');
});

it('a task that fails by something else says only that', () => {
  const message = 'Table with name t does not exist!';
  expect(messageOf(message)).toBe(message);
});
