import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import type { JetStreamManager, StoredMsg } from '@nats-io/jetstream';
import type { ObjectInfo, ObjectStore } from '@nats-io/obj';
import type { NatsConnection } from '@nats-io/transport-node';
import type { ResultReference } from '@noetl/engine';
import { ResultLost, type ResultStore } from '../ports/result-store.ts';
import { StoreError } from '../ports/store-error.ts';
import { checkedPieces, contentOf, fetchedFrom, inspectedFrom, measuring, referenceTo } from './content.ts';
import type { NatsLink } from './nats-connection.ts';
import { natsFailure } from './nats-failure.ts';

/** Bytes of a message. What is put again is cut at the same places. */
const CHUNK = 128 * 1024;

const STREAM_NOT_FOUND = 10_059;

interface Bucket {
  readonly objects: ObjectStore;
  readonly streams: JetStreamManager;
}

/**
 * Results as objects of a JetStream bucket, named by their content. NATS has taken an object when it says so, and writes it
 * to its disk a moment later (docs/reference/results.md): what a crash of its machine takes away in between is found
 * missing, never wrong.
 */
export function createNatsObjectResults(link: NatsLink, name: string, bucket: string): ResultStore {
  const stream = `OBJ_${bucket}`;
  const place = `${link.place} bucket ${bucket}`;
  const opened = new WeakMap<NatsConnection, Promise<Bucket>>();
  /** The same content is written once at a time. */
  const writing = new Map<string, Promise<void>>();

  const failed = (error: unknown): never => {
    throw error instanceof ResultLost ? error : natsFailure(error, place);
  };

  async function bucketOf(): Promise<Bucket> {
    const connection = await link.connected();
    const known = opened.get(connection) ?? openBucket(connection, bucket, place);
    opened.set(connection, known);
    known.catch(() => opened.delete(connection));
    return known;
  }

  async function look({ objects }: Bucket, key: string): Promise<ObjectInfo | undefined> {
    const info = key === '' ? null : await objects.info(key);
    return info === null || info.deleted ? undefined : info;
  }

  /** What is there under a key. Looking for it makes no bucket. */
  async function found(key: string): Promise<{ readonly within: Bucket; readonly info: ObjectInfo } | undefined> {
    const connection = await link.connected();
    if (!opened.has(connection) && !(await hasStream(connection, stream))) return undefined;
    const within = await bucketOf();
    const info = await look(within, key);
    return info === undefined ? undefined : { within, info };
  }

  /** The next message of an object: from any server of a cluster that has it, else from the one that must. */
  async function chunkAfter({ streams }: Bucket, seq: number, subject: string): Promise<StoredMsg | null> {
    const query = { seq, next_by_subj: subject };
    return (await streams.direct.getMessage(stream, query)) ?? (await streams.streams.getMessage(stream, query));
  }

  /**
   * What is under the key, a message at a time. Whoever puts the same again while it is read takes its messages away:
   * then reading goes on in the new ones, which are the same.
   */
  async function* chunks(within: Bucket, first: ObjectInfo): AsyncGenerator<Uint8Array> {
    let passed = 0;
    for (let info: ObjectInfo | undefined = first; info !== undefined; ) {
      const subject = `$O.${bucket}.C.${info.nuid}`;
      let seq = 1;
      for (let nth = 0; nth < info.chunks; nth++) {
        const message = await chunkAfter(within, seq, subject);
        if (message === null) break;
        seq = message.seq + 1;
        if (nth < passed) continue;
        passed++;
        yield message.data;
      }
      if (passed >= info.chunks) return;
      const now = await look(within, info.name);
      info = now?.nuid === info.nuid ? undefined : now;
    }
  }

  async function isIntact(within: Bucket, reference: ResultReference): Promise<boolean> {
    const info = await look(within, reference.key);
    if (info === undefined) return false;
    return (await inspectedFrom(chunks(within, info), reference, place)).kind === 'intact';
  }

  async function write(reference: ResultReference, text: string): Promise<void> {
    const within = await bucketOf();
    if (await isIntact(within, reference)) return;
    await store(within, reference.key, Readable.from([Buffer.from(text)]));
  }

  const store = async ({ objects }: Bucket, key: string, pieces: AsyncIterable<Uint8Array>): Promise<void> => {
    const iterator = pieces[Symbol.asyncIterator]();
    try {
      await objects.put({ name: key, options: { max_chunk_size: CHUNK } }, streamFrom(iterator));
    } finally {
      await iterator.return?.();
    }
  };

  /** Gives an object that is whole its name, unless that is there already. */
  async function settle(within: Bucket, unfinished: string, reference: ResultReference): Promise<void> {
    const { key } = reference;
    if (await isIntact(within, reference)) {
      await within.objects.delete(unfinished);
      return;
    }
    if ((await look(within, key)) !== undefined) await within.objects.delete(key);
    await within.objects.update(unfinished, { name: key });
  }

  return {
    name,
    put: async (value) => {
      const { text, reference } = contentOf(name, value);
      const { key } = reference;
      const written = writing.get(key) ?? write(reference, text).finally(() => writing.delete(key));
      writing.set(key, written);
      await written.catch(failed);
      return reference;
    },
    putPieces: async (pieces, schemaHint) => {
      const unfinished = `unfinished-${randomUUID()}`;
      const passing = measuring(pieces);
      const given = noting(passing.pieces());
      try {
        const within = await bucketOf();
        await store(within, unfinished, given.pieces());
        const { key, size } = passing.measured();
        const reference = referenceTo(name, key, size, schemaHint());
        await settle(within, unfinished, reference);
        return reference;
      } catch (error) {
        // What goes wrong with the pieces themselves is for those who give them.
        const own = given.failure();
        if (own !== undefined) throw own.error;
        return failed(error);
      }
    },
    async *read(reference) {
      try {
        const there = await found(reference.key);
        if (there === undefined) throw new ResultLost(reference, 'missing');
        yield* checkedPieces(chunks(there.within, there.info), reference);
      } catch (error) {
        failed(error);
      }
    },
    get: async (reference) => {
      try {
        const there = await found(reference.key);
        if (there === undefined) return { kind: 'missing' };
        return fetchedFrom(await textOf(Readable.from(chunks(there.within, there.info))), reference);
      } catch (error) {
        return failed(error);
      }
    },
    inspect: async (reference) => {
      const where = `${place} object ${reference.key}`;
      try {
        const there = await found(reference.key);
        if (there === undefined) return { kind: 'missing', place: where };
        return await inspectedFrom(chunks(there.within, there.info), reference, where);
      } catch (error) {
        return failed(error);
      }
    },
    remove: async (references) => {
      try {
        for (const { key } of references) await (await found(key))?.within.objects.delete(key);
      } catch (error) {
        failed(error);
      }
    },
  };
}

async function hasStream(connection: NatsConnection, stream: string): Promise<boolean> {
  const { JetStreamApiError, jetstreamManager } = await import('@nats-io/jetstream');
  const streams = await jetstreamManager(connection);
  return streams.streams.info(stream).then(
    () => true,
    (error: unknown) => {
      if (error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND) return false;
      throw error;
    },
  );
}

/** RES-3: a bucket in memory would forget everything with its server. */
async function openBucket(connection: NatsConnection, bucket: string, place: string): Promise<Bucket> {
  const [{ jetstreamManager, StorageType }, { Objm }] = await Promise.all([
    import('@nats-io/jetstream'),
    import('@nats-io/obj'),
  ]);
  const streams = await jetstreamManager(connection);
  const objects = await new Objm(connection).create(bucket, { storage: StorageType.File });
  const { storage } = await objects.status();
  if (storage === StorageType.File) return { objects, streams };
  const text = `${place} keeps what it is given in memory, and results must outlive the server. Name another bucket in spec.result.store, or make this one anew with storage 'file'.`;
  throw new StoreError('NOETL_STORE_IO', text, { place });
}

function streamFrom(iterator: AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
}

/** Passes pieces on, and knows afterwards whether their source failed. */
function noting(pieces: AsyncIterable<Uint8Array>) {
  let failure: { readonly error: unknown } | undefined;
  return {
    async *pieces(): AsyncGenerator<Uint8Array> {
      try {
        yield* pieces;
      } catch (error) {
        failure = { error };
        throw error;
      }
    },
    failure: () => failure,
  };
}
