import { expect, it } from 'vitest';
import { passOverSqliteWarning } from './sqlite-warning.ts';

it("passes over the warning that Node's SQLite is experimental, and over no other", () => {
  const heard: unknown[][] = [];
  const emitter = { emitWarning: (...given: unknown[]) => void heard.push(given) };
  passOverSqliteWarning(emitter);
  emitter.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning');
  emitter.emitWarning('Other is an experimental feature', 'ExperimentalWarning');
  emitter.emitWarning('SQLite is old', 'DeprecationWarning', 'DEP1');
  expect(heard).toEqual([
    ['Other is an experimental feature', 'ExperimentalWarning'],
    ['SQLite is old', 'DeprecationWarning', 'DEP1'],
  ]);
});
