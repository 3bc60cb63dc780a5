import type { Lived } from './lives.ts';

/** A case that is over, and how to have it again. */
export interface EndedCase extends Lived {
  readonly name: string;
  /** What was done to it. */
  readonly plan: readonly string[];
  /** The command that repeats it. */
  readonly again: string;
}

export interface Report {
  died(): void;
  ended(ended: EndedCase): void;
  deaths(): number;
  cases(): number;
  failures(): readonly EndedCase[];
}

type Tell = (line: string) => void;

interface ReportOptions {
  /** Lines that stay. */
  readonly print: Tell;
  /** A line that is written over by the next; nobody reads it where there is no terminal. */
  readonly progress?: Tell | undefined;
  readonly json: boolean;
}

export function createReport({ print, progress, json }: ReportOptions): Report {
  const failures: EndedCase[] = [];
  let deaths = 0;
  let cases = 0;
  const show = (): void =>
    progress?.(`${deaths} deaths, ${cases} executions${failures.length > 0 ? `, ${failures.length} FAILED` : ''}`);
  return {
    died() {
      deaths += 1;
      show();
    },
    ended(ended) {
      cases += 1;
      const failed = ended.problems.length > 0;
      if (failed) failures.push(ended);
      if (json) print(JSON.stringify({ ...ended, outline: undefined }));
      else if (failed) print(toldFailure(ended));
      show();
    },
    deaths: () => deaths,
    cases: () => cases,
    failures: () => failures,
  };
}

export const toldFailure = ({ name, plan, problems, again, data }: EndedCase): string =>
  [
    `FAILED ${name}`,
    ...plan.map((done, nth) => `  ${nth + 1}. ${done}`),
    ...problems.map((problem) => `  ✗ ${problem}`),
    `  data folder: ${data}`,
    `  again: ${again}`,
  ].join('\n');
