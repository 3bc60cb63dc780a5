import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { DriverName } from './driver/open-database.ts';
import { createGroupCommit, failed, type Request } from './group-commit.ts';
import { openFile } from './open-file.ts';
import { storeFailure } from './store-failure.ts';

/** What the thread is given to begin with. */
export interface ThreadStart {
  readonly file: string;
  readonly driver: DriverName | undefined;
}

/** Requests that share a transaction; more would let those that come first wait for too long. */
const MOST = 2_000;

/** Lists of requests come in, one list of answers goes out for each transaction, in the same order; null says the end. */
async function serve(port: MessagePort, { file, driver }: ThreadStart): Promise<void> {
  const database = await openFile(file, driver);
  const perform = createGroupCommit(database, file);
  port.on('message', (first: readonly Request[] | null) => {
    let message = first;
    const requests: Request[] = [];
    while (message !== null) {
      requests.push(...message);
      const next = requests.length < MOST ? receiveMessageOnPort(port) : undefined;
      if (next === undefined) break;
      message = next.message;
    }
    if (requests.length > 0) port.postMessage(perform(requests));
    if (message !== null) return;
    database.close();
    port.close();
  });
  port.postMessage('ready');
}

if (parentPort !== null) {
  const port = parentPort;
  const start = workerData as ThreadStart;
  serve(port, start).catch((error: unknown) => {
    port.postMessage(failed(storeFailure(error, start.file)));
    port.close();
  });
}
