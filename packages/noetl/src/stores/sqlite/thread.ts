import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { Heartbeat } from '../../ports/drivers.ts';
import { type Answer, createGroupCommit, failed, type Request } from './group-commit.ts';
import { createHeartbeats, type KeptProcess } from './heartbeats.ts';
import { type FileToOpen, openFile } from './open-file.ts';
import { storeFailure } from './store-failure.ts';

/**
 * Requests that share a transaction. Fewer cost more syncs of the disk; with more, those who ask and this thread would
 * wait for each other instead of working at the same time.
 */
const MOST = 512;

/** What comes in: requests in their order, whom to keep alive from now on or no longer, or null for the end. */
export type ToThread = readonly Request[] | { readonly keep: KeptProcess } | { readonly release: string } | null;

/** What goes out: one list of answers for each transaction, in the order of the requests; who was found buried. */
export type FromThread = readonly Answer[] | { readonly lost: string };

async function serve(port: MessagePort, start: FileToOpen): Promise<void> {
  const database = await openFile(start);
  const perform = createGroupCommit(database, start.file);
  const waiting: Request[] = [];
  let over = false;
  const tell = (message: FromThread): void => port.postMessage(message);
  const heartbeats = createHeartbeats(
    (process, ttl, now) => {
      const [answer] = perform([['beat', process, ttl, now]]);
      return answer !== undefined && 'value' in answer ? (answer.value as Heartbeat) : undefined;
    },
    (id) => tell({ lost: id }),
  );

  function take(message: ToThread): void {
    if (message === null) over = true;
    else if ('keep' in message) heartbeats.start(message.keep);
    else if ('release' in message) heartbeats.stop(message.release);
    else waiting.push(...message);
  }

  port.on('message', (message: ToThread) => {
    take(message);
    do {
      for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
        take(next.message);
      }
      if (waiting.length > 0) tell(perform(waiting.splice(0, MOST)));
      heartbeats.beatDue();
    } while (waiting.length > 0);
    if (!over) return;
    heartbeats.stopAll();
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
