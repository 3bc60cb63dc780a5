import { kindSchema } from '../../kinds/kinds.ts';
import { entryOf } from '../tree/edit.ts';
import type { TaskRule } from './task-rule.ts';

/** What to do about kinds that older installations had. */
const ADVICE: Readonly<Record<string, string>> = {
  nats: 'Keep values of the run with set_ctx; for a bucket that others share, define a kind of your own.',
  artifact: 'Read the result by the name of its step: large ones are kept by reference and loaded where they are read.',
  transfer: "Read with one task and write with the next: { kind: postgres, table: …, rows: '{{ _prev.rows }}' }.",
  ducklake: 'Use the kind duckdb: INSTALL ducklake; LOAD ducklake; ATTACH the catalog.',
  agent: 'Call the playbook of the agent with the kind playbook.',
  mcp: 'Call it with the kind http, or define a kind of your own.',
  rhai: 'Write the code in python or javascript.',
  subscription: 'Read the messages with http or python, or define a kind of your own.',
  iterator: 'Give the step a loop.',
};

/** A kind that TOOL-2 does not have is a problem; its fields are left as they are. */
export const refuseUnknownKind: TaskRule = (task, { kind, journal }) => {
  if (kindSchema(kind) !== undefined) return task;
  const at = entryOf(task, 'kind')?.at;
  if (at === undefined) return task;
  const advice = Object.hasOwn(ADVICE, kind) ? ADVICE[kind] : undefined;
  journal.problem(
    at,
    `there is no kind '${kind}'`,
    advice ?? 'Say it with the kinds there are, or define one of your own.',
  );
  return task;
};
