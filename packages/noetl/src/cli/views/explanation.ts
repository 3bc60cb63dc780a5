import { dataOption } from '../data-option.ts';
import type { EndingReading } from './ending-fold.ts';
import { errorLine } from './error-line.ts';
import { failurePlace, placedError } from './failure-place.ts';
import type { Failure } from './failures.ts';
import { type Line, paint, tinted } from './line.ts';
import { type Places, placeText } from './places.ts';
import { duration } from './quantity.ts';
import { shortJson } from './short-json.ts';
import { sourceExcerpt } from './source-excerpt.ts';
import { abridged, visible, visibleText } from './visible.ts';
import { workName } from './work-name.ts';

interface ExplanationOptions {
  readonly color: boolean;
  readonly places?: Places | undefined;
  /** The data folder, if the user named one. */
  readonly data?: string | undefined;
  /** The text of the playbook that was run. */
  readonly source?: string | undefined;
  /** The executions in which the failure began: one that the playbook called, one that this called, and so on. */
  readonly children?: readonly FailedChild[];
  /** Whether a process runs it now. */
  readonly driven?: boolean;
}

export interface FailedChild {
  readonly execution: string;
  /** As its caller names it. */
  readonly path: string;
  readonly failure: Failure | undefined;
  readonly places: Places | undefined;
  readonly source: string | undefined;
}

type Summary = EndingReading['summary'];

/** Why an execution did not end well, where, and what can be done; empty for one that did. */
export function explanation({ summary, failures }: EndingReading, options: ExplanationOptions): string {
  if (summary.status === 'success') return '';
  const { ending } = failures;
  const cause = ending === undefined ? [] : [[], ...causeLines(ending, options)];
  const lines: readonly Line[] = [headline(summary), ...cause, [], ...whatNow(summary, options)];
  return lines.map((line) => `${paint(line, options.color)}\n`).join('');
}

function headline({ status, execution_id, duration_ms }: Summary): Line {
  const id = visible(execution_id);
  const after = duration_ms === undefined ? '' : ` after ${duration(duration_ms)}`;
  switch (status) {
    case 'error':
      return [tinted('red', 'failed'), `: execution ${id}${after}`];
    case 'rejected':
      return [tinted('red', 'rejected'), `: execution ${id} did not begin`];
    case 'cancelled':
      return [tinted('yellow', 'cancelled'), `: execution ${id}${after}`];
    default:
      return [tinted('yellow', 'not finished'), `: execution ${id} is ${status}`];
  }
}

/** The failure, and those in the children that led to it; only where it began is all said about it. */
function causeLines(failure: Failure, options: ExplanationOptions): readonly Line[] {
  const children = options.children ?? [];
  const first = children.at(-1);
  if (first?.failure === undefined) return [...placeLines(failure, options), ...errorLines(failure, options)];
  return [
    ...placeLines(failure, options),
    ...children.slice(0, -1).map((child): Line => [`through ${childName(child)}: `, ...placeOf(child)]),
    [],
    [`It began in ${childName(first)}:`],
    [],
    ...placeLines(first.failure, first),
    ...errorLines(first.failure, first),
  ];
}

const childName = ({ execution, path }: FailedChild): string => `execution ${visible(execution)} of ${visible(path)}`;

const placeOf = (child: FailedChild): Line =>
  child.failure === undefined ? [] : (placeLines(child.failure, { places: child.places })[0] ?? []);

function placeLines(
  failure: Failure,
  { places, source }: Pick<ExplanationOptions, 'places' | 'source'>,
): readonly Line[] {
  const place = failurePlace(failure, places);
  const where = places === undefined || place === undefined ? '' : ` at ${placeText(places.file, place)}`;
  return [
    [tinted('bold', whatFailed(failure)), where],
    ...(source === undefined || place === undefined ? [] : sourceExcerpt(source, place)),
  ];
}

function errorLines(
  failure: Failure,
  { places, source }: Pick<ExplanationOptions, 'places' | 'source'>,
): readonly Line[] {
  const { error, tries } = failure;
  const before = tries.slice(0, -1);
  const isShown = source !== undefined && failurePlace(failure, places) !== undefined;
  return [
    ...messageLines(isShown ? placedError(error) : error),
    ...(saysNothing(error) ? [] : [[tinted('dim', `  ${shortJson(error.details, 500)}`)]]),
    ...before.map((one): Line => [tinted('dim', `  attempt ${one.attempt} before: ${errorLine(one.error)}`)]),
    ...(error.retryable && tries.length === 1
      ? [[tinted('dim', "  another attempt may end differently: a policy with 'do: retry' would make one")]]
      : []),
  ];
}

function whatFailed({ kind, step, path, label, attempt, arc }: Failure): string {
  if (step === undefined)
    return kind === 'request' ? 'the request cannot be met' : 'the execution was ended as a whole';
  const name = workName(step, path, label);
  if (arc !== undefined) return `arc ${arc + 1} of ${name} could not be evaluated`;
  return attempt === undefined || attempt === 1 ? `${name} failed` : `${name} failed in attempt ${attempt}`;
}

const MESSAGE = 4000;

/** The whole message: a traceback has many lines. */
function messageLines({ kind, message }: Failure['error']): readonly Line[] {
  const [first = '', ...rest] = visibleText(abridged(message, MESSAGE)).split('\n');
  return [[tinted('red', visible(kind)), first === '' ? '' : `: ${first}`], ...rest.map((line) => [`  ${line}`])];
}

/** Where it failed is told already. */
const saysNothing = ({ kind, details }: Failure['error']): boolean =>
  kind === 'template' ||
  details === null ||
  (typeof details === 'object' && Object.keys(details).every((key) => key === 'place'));

function whatNow(summary: Summary, { data, children, driven = false }: ExplanationOptions): readonly Line[] {
  const { execution_id, ended_at, status } = summary;
  const where = (id: string) => `${visible(id)}${visible(dataOption(data))}`;
  const unfinished =
    status === 'paused'
      ? ([`exec resume ${where(execution_id)}`, 'lift its pause'] as const)
      : driven
        ? ([`exec watch ${where(execution_id)}`, 'follow it to its end'] as const)
        : ([`run --resume ${where(execution_id)}`, 'go on from its last event'] as const);
  const fork = [
    `exec fork ${where(execution_id)} --from-failure`,
    'try again what failed, as a new execution',
  ] as const;
  const began = children?.at(-1)?.execution ?? execution_id;
  const commands = [
    ...(ended_at === undefined ? [unfinished] : []),
    [`exec events ${where(execution_id)}`, 'what happened, event by event'] as const,
    [`exec logs ${where(began)}`, 'what its tools printed'] as const,
    ...(status === 'error' ? [fork] : []),
  ];
  const width = Math.max(...commands.map(([command]) => command.length));
  return commands.map(([command, what]) => [`  noetl ${command.padEnd(width)}`, tinted('dim', `  ${what}`)]);
}
