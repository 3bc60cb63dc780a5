import type { ReportAnswer, WorkExchange, WorkReport } from '../ports/work-exchange.ts';

/** What waits to be reported while something is on its way goes along with the next call. */
export function joinedReports(exchange: Pick<WorkExchange, 'report'>): (report: WorkReport) => Promise<ReportAnswer> {
  let waiting: Waiting[] = [];
  let sending = 0;

  async function send(): Promise<void> {
    const batch = waiting.splice(0, MOST_REPORTS);
    if (batch.length === 0) return;
    sending += 1;
    try {
      const answers = await exchange.report(batch.map(({ report }) => report));
      for (const [nth, { answer }] of batch.entries()) answer(answers[nth] ?? 'gone');
    } catch (error) {
      for (const { fail } of batch) fail(error);
    } finally {
      sending -= 1;
      if (waiting.length > 0) void send();
    }
  }

  return (report) =>
    new Promise((answer, fail) => {
      waiting = [...waiting, { report, answer, fail }];
      if (sending < MOST_CALLS) queueMicrotask(() => void send());
    });
}

interface Waiting {
  readonly report: WorkReport;
  readonly answer: (answer: ReportAnswer) => void;
  readonly fail: (error: unknown) => void;
}

/** Calls that are on their way at a time, and reports in each. */
const MOST_CALLS = 2;
const MOST_REPORTS = 100;
