import { entryOf, fieldOf, renamedEntry, textOf } from '../tree/edit.ts';
import type { MapTree } from '../tree/tree.ts';
import type { TaskRule } from './task-rule.ts';

/** Methods whose values went into the address. */
const BODILESS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

/** `payload` and `data` of a request: parameters of a GET, else a form where the headers say so, else JSON. */
export const migrateHttpBody: TaskRule = (task, { journal }) => {
  const old = entryOf(task, 'payload') ?? entryOf(task, 'data');
  if (old === undefined) return task;
  const to = targetOf(task);
  const other = ['payload', 'data', 'params', 'json', 'body', 'form', 'files'].find(
    (key) =>
      key !== old.key && entryOf(task, key) !== undefined && (to === 'params' ? key === 'params' : key !== 'params'),
  );
  if (other !== undefined) {
    journal.problem(
      old.at,
      `the request has both '${old.key}' and '${other}'`,
      'Say what goes into the address (params) and what is the body (json, form or body).',
    );
    return task;
  }
  journal.note('tool-field', old.at, `'${old.key}' becomes '${to}'${WHY[to]}`);
  return renamedEntry(task, old.key, to);
};

const WHY = {
  params: ': a request without a body carries its values in the address',
  form: ': the headers say that the body is a form',
  json: '',
} as const;

function targetOf(task: MapTree): keyof typeof WHY {
  const method = textOf(fieldOf(task, 'method')) ?? 'GET';
  if (BODILESS.has(method.toUpperCase())) return 'params';
  const headers = fieldOf(task, 'headers');
  const type =
    headers?.kind === 'map' ? headers.entries.find(({ key }) => key.toLowerCase() === 'content-type') : undefined;
  return textOf(type?.value)?.includes('x-www-form-urlencoded') === true ? 'form' : 'json';
}
