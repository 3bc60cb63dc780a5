import { instantOf, type StateView, timestampOf } from '@noetl/engine';
import { signalCommand } from '../proposed-command.ts';
import { type Line, tinted } from './line.ts';
import { grouped } from './quantity.ts';
import { shortJson } from './short-json.ts';
import { visible } from './visible.ts';
import { workName } from './work-name.ts';

/** What tasks of an execution wait for, but for their turn after a retry. */
export type Awaited = Omit<StateView['waits'][number], 'work'> & { readonly path: string };

/** More are only counted. */
const LISTED = 10;

export const awaitedIn = ({ waits }: StateView): readonly Awaited[] =>
  waits
    .filter((wait) => wait.for !== 'retry')
    .map(({ work, ...wait }) => ({ ...wait, path: work.includes(':') ? work.slice(work.indexOf(':') + 1) : '' }));

/** What is waited for, with the command that answers it where a person can. */
export function awaitedLines(
  awaited: readonly Awaited[],
  execution: string,
  data: string | undefined,
): readonly Line[] {
  if (awaited.length === 0) return [];
  const hidden = awaited.length - LISTED;
  return [
    [],
    [tinted('dim', 'WAITS')],
    ...awaited.slice(0, LISTED).flatMap((wait) => linesOf(wait, execution, data)),
    ...(hidden <= 0 ? [] : [[tinted('dim', `  and ${grouped(hidden)} more`)]]),
  ];
}

function linesOf(wait: Awaited, execution: string, data: string | undefined): readonly Line[] {
  const { step, path, task, name, until, child, form } = wait;
  const about = [tinted('yellow', '  ⧗ '), workName(step, path, task)];
  const latest = until === undefined ? '' : `, until ${timestampOf(instantOf(until)).replace(/\.\d+Z$/, 'Z')}`;
  if (name === undefined) {
    const what = child === undefined ? '' : ` for the child ${visible(child)}`;
    return [[...about, ` waits${what}${latest}`]];
  }
  return [
    [...about, ` waits for the ${wait.for} '${visible(name)}'${latest}: ${signalCommand(execution, name, data)}`],
    ...(form === undefined ? [] : [[tinted('dim', `      ${shortJson(form, 200)}`)]]),
  ];
}
