import { templateOf } from '../names/condition.ts';
import { entry, scalar } from '../tree/build.ts';
import { entryOf, replacedValue, textOf, withEntry, without } from '../tree/edit.ts';
import type { TaskRule } from './task-rule.ts';

/** `Bearer {{ token(NAME) }}`, where NAME is a text or a path. */
const TOKEN = /^Bearer \{\{-?\s*token\(\s*(?:(['"])([^'"]+)\1|([\w.]+))\s*\)\s*-?\}\}$/;

/** A header with a token that was fetched while it was rendered: the task names the credential, which sends its token. */
export const migrateTokenHeader: TaskRule = (task, { journal }) => {
  const headers = entryOf(task, 'headers');
  if (headers?.value.kind !== 'map' || entryOf(task, 'auth') !== undefined) return task;
  const header = headers.value.entries.find(({ key }) => key.toLowerCase() === 'authorization');
  const found = header === undefined ? null : TOKEN.exec(textOf(header.value) ?? '');
  if (header === undefined || found === null) return task;
  const [, , name, path] = found;
  journal.note(
    'auth-name',
    header.at,
    "the token of the header becomes 'auth': keep an access token there, it is not fetched or renewed here",
    { review: true },
  );
  const rest = without(headers.value, header.key);
  const bare = rest.entries.length === 0 ? without(task, 'headers') : replacedValue(task, 'headers', rest);
  return withEntry(bare, entry('auth', scalar(name ?? templateOf(path ?? '')), header.at), { after: 'url' });
};
