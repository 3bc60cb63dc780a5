import nunjucks from 'nunjucks';
import { Oracle } from '../conformance/jinja/oracle.ts';
import { microsPerCall } from './measure.ts';

export interface RivalTimes {
  readonly nunjucksMicros: number;
  /** Measured by CPython itself, inside its own process; null where no Jinja2 is installed. */
  readonly jinja2Micros: number | null;
  readonly jinja2CompileMicros: number | null;
}

/** The same templates and data on nunjucks and on Jinja2 in CPython, in the same run on the same machine. */
export async function timeRivals(
  templates: readonly string[],
  context: Record<string, unknown>,
  rounds: number,
): Promise<RivalTimes> {
  const environment = new nunjucks.Environment(null, { autoescape: false });
  const compiled = templates.map((source) => nunjucks.compile(source, environment));
  const nunjucksMicros = microsPerCall(() => {
    let last = '';
    for (const template of compiled) last = template.render(context);
    return last;
  });
  const cpython = await timeCpython(templates, context, rounds);
  return {
    nunjucksMicros,
    jinja2Micros: cpython?.renderMicros ?? null,
    jinja2CompileMicros: cpython?.compileMicros ?? null,
  };
}

export function nunjucksCompileMicros(sourceOf: (round: number) => string): number {
  const environment = new nunjucks.Environment(null, { autoescape: false });
  let round = 0;
  return microsPerCall(() => {
    round += 1;
    return new nunjucks.Template(sourceOf(round), environment, '', true);
  });
}

interface CpythonTimes {
  readonly renderMicros: number;
  readonly compileMicros: number;
}

async function timeCpython(
  templates: readonly string[],
  context: Record<string, unknown>,
  rounds: number,
): Promise<CpythonTimes | undefined> {
  const oracle = await startOracle();
  if (oracle === undefined) return undefined;
  try {
    const [times] = await oracle.ask<CpythonTimes>([{ op: 'time', templates, context, rounds }]);
    return times;
  } finally {
    oracle.stop();
  }
}

async function startOracle(): Promise<Oracle | undefined> {
  try {
    return await Oracle.start();
  } catch (error) {
    console.error(`without CPython's times: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
