import { show, type Verdict } from './evaluate-case.ts';

export interface Report {
  readonly lines: readonly string[];
  /** `passed N of M`; M leaves out cases tagged `py:*`. */
  readonly summary: string;
  readonly accepted: boolean;
}

/** Sources whose cases must all pass; of the rest 99 % must (TPL-2). */
const MUST_ALL_PASS = new Set(['seed', 'noetl', 'own']);
const REST_SHARE = 0.99;

function isPythonOnly(verdict: Verdict): boolean {
  return verdict.case.tags.some((tag) => tag.startsWith('py:'));
}

export function buildReport(verdicts: readonly Verdict[]): Report {
  const counted = verdicts.filter((verdict) => !isPythonOnly(verdict));
  const python = verdicts.filter(isPythonOnly);
  const strict = counted.filter((verdict) => MUST_ALL_PASS.has(verdict.case.source));
  const rest = counted.filter((verdict) => !MUST_ALL_PASS.has(verdict.case.source));
  const accepted = passed(strict) === strict.length && passed(rest) >= rest.length * REST_SHARE;
  const lines = [
    ...tableBySource(counted, python),
    ...counted.filter((verdict) => !verdict.passed).flatMap((verdict) => describeFailure(verdict, 'failed')),
    ...python.filter((verdict) => !verdict.passed).flatMap((verdict) => describeFailure(verdict, 'py, not counted')),
  ];
  return { lines, summary: `passed ${passed(counted)} of ${counted.length}`, accepted };
}

function tableBySource(counted: readonly Verdict[], python: readonly Verdict[]): string[] {
  const sources = [...new Set([...counted, ...python].map((verdict) => verdict.case.source))].sort();
  const row = (name: string, cells: readonly string[]) =>
    `${name.padEnd(24)}${cells.map((c) => c.padStart(14)).join('')}`;
  const cell = (list: readonly Verdict[]) => (list.length === 0 ? '-' : `${passed(list)}/${list.length}`);
  return [
    row('source', ['passed', 'py:* (info)']),
    ...sources.map((source) => {
      const ofSource = (list: readonly Verdict[]) => list.filter((verdict) => verdict.case.source === source);
      return row(source, [cell(ofSource(counted)), cell(ofSource(python))]);
    }),
    row('all', [cell(counted), cell(python)]),
    '',
  ];
}

function describeFailure(verdict: Verdict, label: string): string[] {
  const { id, template, context, mode, expected, error, options } = verdict.case;
  const rules = [mode, verdict.case.undefined, ...(options ? [JSON.stringify(options)] : [])].join(' ');
  return [
    `${label}: ${id} (${rules})`,
    `  template ${JSON.stringify(template)}`,
    `  context  ${excerpt(JSON.stringify(context))}`,
    `  expected ${error === undefined ? excerpt(show(expected)) : `an error (${error})`}`,
    `  got      ${excerpt(verdict.got)}`,
  ];
}

function passed(verdicts: readonly Verdict[]): number {
  return verdicts.filter((verdict) => verdict.passed).length;
}

function excerpt(text: string, length = 400): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
