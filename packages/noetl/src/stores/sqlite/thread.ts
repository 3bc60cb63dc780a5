import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { createGroupCommit, failed, type Request } from './group-commit.ts';
import { type FileToOpen, openFile } from './open-file.ts';
import { storeFailure } from './store-failure.ts';

/**
 * Requests that share a transaction. Fewer cost more syncs of the disk; with more, those who ask and this thread would
 * wait for each other instead of working at the same time.
 */
const MOST = 512;

/** Lists of requests come in, one list of answers goes out for each transaction, in the same order; null says the end. */
async function serve(port: MessagePort, start: FileToOpen): Promise<void> {
  const database = await openFile(start);
  const perform = createGroupCommit(database, start.file);
  const waiting: Request[] = [];
  let over = false;

  function take(message: readonly Request[] | null): void {
    if (message === null) over = true;
    else waiting.push(...message);
  }

  port.on('message', (message: readonly Request[] | null) => {
    take(message);
    do {
      for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
        take(next.message);
      }
      if (waiting.length > 0) port.postMessage(perform(waiting.splice(0, MOST)));
    } while (waiting.length > 0);
    if (!over) return;
    database.close();
    port.close();
  });
  port.postMessage('ready');
}

if (parentPort !== null) {
  const port = parentPort;
  const start = workerData as FileToOpen;
  serve(port, start).catch((error: unknown) => {
    port.postMessage(failed(storeFailure(error, start.file)));
    port.close();
  });
}
