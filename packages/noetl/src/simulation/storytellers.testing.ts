import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Batch, type BatchReport, tellBatch } from './batch.testing.ts';

/** Who tells stories: this process, or one of its own. */
interface Storyteller {
  tell(batch: Batch): Promise<BatchReport>;
  close(): void;
}

const PROGRAM = fileURLToPath(new URL('./storyteller.testing.ts', import.meta.url));

const READ_SOURCES = ['--conditions=@noetl/source', '--import', 'tsx'];

/**
 * Lets batches be told by so many processes, and reports on them in their order, whoever was faster: what is told does
 * not depend on how many tell it.
 */
export async function* toldBy(processes: number, batches: Iterable<Batch>): AsyncGenerator<BatchReport> {
  const tellers = processes === 1 ? [HERE] : Array.from({ length: processes }, () => elsewhere());
  const free = [...tellers];
  const left = batches[Symbol.iterator]();
  const reports: Promise<BatchReport>[] = [];
  let ended = false;

  function employ(): void {
    while (free.length > 0 && !ended) {
      const next = left.next();
      const teller = next.done ? undefined : free.pop();
      if (next.done || teller === undefined) return;
      const report = teller.tell(next.value).finally(() => {
        free.push(teller);
        employ();
      });
      // Whoever waits for its turn hears of it.
      report.catch(() => undefined);
      reports.push(report);
    }
  }

  try {
    employ();
    for (let next = reports.shift(); next !== undefined; next = reports.shift()) yield await next;
  } finally {
    ended = true;
    for (const teller of tellers) teller.close();
  }
}

const HERE: Storyteller = { tell: tellBatch, close: () => undefined };

function elsewhere(): Storyteller {
  const child: ChildProcess = fork(PROGRAM, { execArgv: READ_SOURCES });
  return {
    async tell(batch) {
      const gone = new AbortController();
      const end = (): void => gone.abort(new Error('a process that tells stories has ended.'));
      child.once('exit', end);
      child.send(batch);
      const [report] = await once(child, 'message', { signal: gone.signal });
      child.off('exit', end);
      return report as BatchReport;
    },
    close: () => child.kill(),
  };
}
