import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planOf } from '@noetl/engine';
import { readPlaybook } from '@noetl/playbook';
import type { Store } from '../ports/store.ts';
import { workExchangeContract } from '../ports/work-exchange.contract.testing.ts';
import { openSqliteStore } from '../stores/sqlite/store.ts';
import { openTools } from '../tools/registry.ts';
import { openHttpExchange } from '../worker/http-exchange.ts';
import { openDataFolder } from './data-folder.ts';
import { folderSecrets } from './folder-secrets.ts';
import { openLocalDriver } from './local-driver.ts';
import { serverUnderTest } from './server-under-test.testing.ts';
import { systemClock } from './system-clock.ts';
import { thisMachine } from './this-machine.ts';

const TTL = 30_000;
const textOf = (body: string) => `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: t, path: t }\n${body}\n`;

const logsIn = (store: Store) => async (execution: string) =>
  (await store.toolLogs.read({ execution }, 0, 100)).map(({ text }) => text);

workExchangeContract('in this process', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'noetl-exchange-'));
  const data = await openDataFolder(folder, systemClock, 'run');
  const driver = await openLocalDriver({
    data,
    machine: thisMachine,
    clock: systemClock,
    tools: openTools(thisMachine),
    driverId: 'd',
    slots: 0,
    secrets: folderSecrets(data, thisMachine, systemClock, () => undefined),
    called: { find: () => Promise.reject(new Error('nothing is called')), of: async () => undefined },
    remote: { key: Buffer.from('the key of a test'), ttl: TTL },
    committed: () => undefined,
  });
  const { exchange } = driver;
  if (exchange === undefined) throw new Error('there is no exchange');
  let started = 0;
  return {
    exchange,
    async start(body) {
      const text = textOf(body);
      const { playbook } = readPlaybook(text, { file: 't.yaml' });
      if (playbook === undefined) throw new Error('the playbook of the test is not valid');
      started += 1;
      const source = { plan: planOf(playbook), text, folder, path: 't', version: null, contentHash: 'h' };
      await driver.start(source, { execution_id: `x${started}`, payload: {} });
      return `x${started}`;
    },
    async cancel(execution) {
      await data.store.inputs.put(execution, { kind: 'cancel', reason: null, by: null }, 0);
      await driver.look();
    },
    end: driver.over,
    logs: logsIn(data.store),
    async close() {
      await driver.close();
      await rm(folder, { recursive: true });
    },
  };
});

workExchangeContract('by HTTP', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'noetl-exchange-'));
  const server = await serverUnderTest(folder, process.env, { slots: 0, leaseTtl: TTL });
  await server.continued;
  const giveUp = new AbortController();
  const exchange = await openHttpExchange({
    url: server.url,
    token: server.token,
    clock: systemClock,
    wait: 20_000,
    connections: 8,
    giveUp: giveUp.signal,
  });
  const store = await openSqliteStore(folder, systemClock, { thread: false });
  return {
    exchange,
    async start(body) {
      await server.send('POST', '/api/catalog', { text: textOf(body) });
      const { body: started } = await server.send('POST', '/api/executions', { path: 't' });
      return (started as { execution_id: string }).execution_id;
    },
    async cancel(execution) {
      await server.send('POST', `/api/executions/${execution}/cancel`, {});
    },
    async end(execution) {
      for (;;) {
        const [last] = (await store.log.read(execution, 0, 1_000)).slice(-1);
        if (last?.name === 'playbook.processed') return last.payload;
        await new Promise((wake) => setTimeout(wake, 20));
      }
    },
    logs: logsIn(store),
    async close() {
      giveUp.abort();
      await exchange.close();
      await store.close();
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
});
