import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { Objm } from '@nats-io/obj';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NatsServer, noNats, startNats } from '../nats-server.testing.ts';
import { resultStoreContract } from '../ports/result-store.contract.testing.ts';
import { createNatsLink, type NatsLink } from './nats-connection.ts';
import { createNatsObjectResults } from './nats-object.ts';

const linkTo = (port: number): NatsLink => createNatsLink({ servers: [`127.0.0.1:${port}`], tls: false });

describe.skipIf(noNats)('with NATS', () => {
  let server: NatsServer;
  let link: NatsLink;
  beforeAll(async () => {
    server = await startNats();
    link = linkTo(server.port);
  }, 60_000);
  afterAll(async () => {
    await link?.close();
    await server?.stop();
  });

  resultStoreContract('objects of NATS', async () => ({
    results: createNatsObjectResults(link, 'nats_object', 'contract'),
    damage: async (key) => {
      const connection = await link.connected();
      const info = await (await new Objm(connection).open('contract')).info(key);
      const filter = `$O.contract.C.${info?.nuid}`;
      const streams = await jetstreamManager(connection);
      const kept = await streams.direct.getMessage('OBJ_contract', { seq: 1, next_by_subj: filter });
      await streams.streams.purge('OBJ_contract', { filter });
      const bytes = Buffer.from(kept?.data ?? []);
      await jetstream(connection).publish(filter, Buffer.concat([bytes.subarray(1), Buffer.from(' ')]));
    },
    close: async () => undefined,
  }));

  describe('results in objects of NATS', () => {
    const large = 'x'.repeat(3_000_000);

    it('are found by another process, and outlive the server (RES-3)', async () => {
      const reference = await createNatsObjectResults(link, 'nats_object', 'kept').put(large);
      await server.kill();
      await server.restart();
      const other = linkTo(server.port);
      try {
        const results = createNatsObjectResults(other, 'nats_object', 'kept');
        expect(await results.get(reference)).toEqual({ kind: 'value', value: large });
      } finally {
        await other.close();
      }
    });

    it('are missing where nothing was ever put, and looking makes no bucket', async () => {
      const results = createNatsObjectResults(link, 'nats_object', 'nowhere');
      const reference = await createNatsObjectResults(link, 'nats_object', 'kept').put('x');
      expect(await results.get(reference)).toEqual({ kind: 'missing' });
      expect(await results.inspect(reference)).toMatchObject({ kind: 'missing' });
      await results.remove([reference]);
      const streams = await jetstreamManager(await link.connected());
      await expect(streams.streams.info('OBJ_nowhere')).rejects.toThrow('stream not found');
    });

    it('that are put again while they are read are read to their end', async () => {
      const results = createNatsObjectResults(link, 'nats_object', 'again');
      const reference = await results.put(large);
      const read: Uint8Array[] = [];
      for await (const piece of results.read(reference)) {
        read.push(piece);
        if (read.length > 1) continue;
        const objects = await new Objm(await link.connected()).open('again');
        await objects.putBlob({ name: reference.key }, Buffer.from(JSON.stringify(large)));
      }
      expect(Buffer.concat(read).toString()).toBe(JSON.stringify(large));
    });

    it('are not put into a bucket that is in memory', async () => {
      const streams = await jetstreamManager(await link.connected());
      await streams.streams.add({
        name: 'OBJ_fleeting',
        subjects: ['$O.fleeting.C.>', '$O.fleeting.M.>'],
        storage: 'memory',
        allow_direct: true,
      });
      await expect(createNatsObjectResults(link, 'nats_object', 'fleeting').put('x')).rejects.toMatchObject({
        code: 'NOETL_STORE_IO',
        message: expect.stringContaining("storage 'file'"),
      });
    });

    it('that a bucket has no room for are an error that says so', async () => {
      const streams = await jetstreamManager(await link.connected());
      await streams.streams.add({
        name: 'OBJ_small',
        subjects: ['$O.small.C.>', '$O.small.M.>'],
        storage: 'file',
        allow_direct: true,
        allow_rollup_hdrs: true,
        discard: 'new',
        max_bytes: 1_000_000,
      });
      const results = createNatsObjectResults(link, 'nats_object', 'small');
      await expect(results.put(large)).rejects.toMatchObject({ code: 'NOETL_STORE_FULL' });
      expect(await results.get(await results.put('little'))).toEqual({ kind: 'value', value: 'little' });
    });

    it('cannot be had while the server is down, and can again when it is back', async () => {
      const results = createNatsObjectResults(link, 'nats_object', 'down');
      const reference = await results.put('kept');
      await server.kill();
      for (const action of [
        () => results.put('other'),
        () => results.get(reference),
        () => results.inspect(reference),
      ]) {
        await expect(action()).rejects.toMatchObject({
          code: 'NOETL_STORE_UNREACHABLE',
          message: expect.stringContaining(`127.0.0.1:${server.port}`),
        });
      }
      await server.restart();
      expect(await results.get(reference)).toEqual({ kind: 'value', value: 'kept' });
    });
  });
});
