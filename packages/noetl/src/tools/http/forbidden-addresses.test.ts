import { createServer, type Server } from 'node:http';
import { type AddressInfo, isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ToolAnswer } from '../define-tool.ts';
import { type ToolsUnderTest, toolsUnderTest } from '../task-call.testing.ts';
import type { ToolHost } from '../tool-host.ts';
import { parseNetwork } from './address.ts';

/** What names mean, one list of answers for each; the last stays. */
const names = new Map<string, string[][]>();
const lookup: LookupFunction = (host, _, callback) => {
  const answers = names.get(host) ?? [];
  const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
  const list = addresses.map((address) => ({ address, family: isIP(address) }));
  setImmediate(() => callback(null, list));
};

let server: Server;
let port: number;
let seen: string[] = [];
/** The addresses of this machine at which it was asked. */
let reached: (string | undefined)[] = [];
let answer: { status: number; location?: string };
const opened: ToolsUnderTest[] = [];

beforeAll(async () => {
  server = createServer(({ url, headers, socket }, response) => {
    reached.push(socket.localAddress);
    seen.push(`${headers.host}${url}`);
    const moved = url?.startsWith('/from') === true;
    response.writeHead(moved ? answer.status : 200, moved ? { location: answer.location } : {});
    response.end('secret inside');
  });
  await new Promise<void>((listening) => server.listen(0, '::', listening));
  ({ port } = server.address() as AddressInfo);
});
afterEach(async () => {
  seen = [];
  reached = [];
  names.clear();
  await Promise.all(opened.splice(0).map(({ tools }) => tools.close()));
});
afterAll(() => server.close());

function call(url: string, host: Partial<ToolHost> = {}, more = ''): Promise<ToolAnswer> {
  const under = opened[0] ?? toolsUnderTest({}, { lookup, ...host });
  opened[0] ??= under;
  return under.run(`kind: http\nurl: "${url}"\n${more}`);
}

const refused = (message: string | RegExp) => ({
  status: 'error',
  result: null,
  error: { kind: 'http.forbidden', retryable: false, message: expect.stringMatching(message) },
  http: { status: null, headers: {}, request_id: null },
});
const networks = (...texts: string[]) => texts.flatMap((text) => parseNetwork(text) ?? []);

describe('addresses that no task may connect to', () => {
  it.each([
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '0xa9.254.0251.254',
    '169.254.43518',
    '169.254.169.254.',
    '169.254.1.1',
    '100.100.100.200',
    '168.63.129.16',
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '[::169.254.169.254]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:a9fe:a9fe::]',
    '[2001:0:808:808:0:0:5601:5601]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '224.0.0.1',
  ])('are refused however they are written: %s', async (host) => {
    expect(await call(`http://${host}/latest/meta-data/`)).toMatchObject(
      refused(/may not connect to .*: that is an? /),
    );
  });

  it('are named, with their host and what to set', async () => {
    names.set('metadata.internal', [['169.254.169.254']]);
    expect(await call('http://metadata.internal/?token=hidden')).toMatchObject(
      refused(
        "^GET http://metadata\\.internal/ of the task 't' may not connect to metadata\\.internal \\(169\\.254\\.169\\.254\\): " +
          "that is an address at which clouds tell a machine's credentials\\. " +
          'Whoever runs NoETL may allow it with NOETL_HTTP_ALLOW=169\\.254\\.169\\.254\\.$',
      ),
    );
  });

  it('are refused behind a name, also over TLS, and of several only those are used that are allowed', async () => {
    names.set('meta', [['169.254.169.254', '::ffff:169.254.169.254']]);
    names.set('mixed', [['169.254.169.254', '127.0.0.1']]);
    expect(await call('http://meta/')).toMatchObject(refused('meta'));
    expect(await call('https://meta/')).toMatchObject(refused('meta'));
    expect(await call(`http://mixed:${port}/`)).toMatchObject({ status: 'ok' });
  });

  it('are not used where a name has others', async () => {
    // Somebody listens at both; the first would be taken.
    names.set('both', [['127.0.0.2', '127.0.0.1']]);
    const host = { addresses: { deny: networks('127.0.0.2'), allow: [] } };
    expect(await call(`http://both:${port}/`, host)).toMatchObject({ status: 'ok' });
    expect(reached).toEqual(['::ffff:127.0.0.1']);
  });

  it.each([301, 302, 303, 307, 308])('are refused as the goal of a %i', async (status) => {
    for (const location of [
      'http://169.254.169.254/',
      'http://[::ffff:169.254.169.254]/',
      '//2852039166/',
      'http://meta/',
    ]) {
      names.set('meta', [['169.254.169.254']]);
      answer = { status, location };
      expect(await call(`http://127.0.0.1:${port}/from`)).toMatchObject(refused('clouds tell'));
    }
    expect(seen).toHaveLength(4);
  });

  it('are refused when a name means something else the second time', async () => {
    const host: Partial<ToolHost> = { addresses: { deny: ['private'], allow: [] } };
    names.set('rebound', [['127.0.0.1'], ['169.254.169.254'], ['10.0.0.1']]);
    // Every request needs a connection of its own.
    const close = 'headers: { Connection: close }';
    expect(await call(`http://rebound:${port}/`, host, close)).toMatchObject({ status: 'ok' });
    server.closeAllConnections();
    await until(async () => (await call(`http://rebound:${port}/`, host, close)).status === 'error');
    expect(await call(`http://rebound:${port}/`, host, close)).toMatchObject(refused('10\\.0\\.0\\.1'));
    expect(seen).toHaveLength(1);
  });

  it('may be allowed by whoever runs NoETL', async () => {
    const allowed = { addresses: { deny: ['loopback' as const], allow: networks('127.0.0.1') } };
    expect(await call(`http://127.0.0.1:${port}/`, allowed)).toMatchObject({ status: 'ok' });
    expect(await call(`http://127.0.0.2:${port}/`)).toMatchObject(refused('NOETL_HTTP_DENY refuses'));
    expect(await call(`http://[::1]:${port}/`)).toMatchObject(refused('NOETL_HTTP_DENY refuses'));
  });
});

describe('private addresses and the machine itself', () => {
  it.each(['127.0.0.1', 'localhost', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]', '2130706433'])(
    'are allowed unless they are refused: %s',
    async (host) => {
      names.set('localhost', [['::1', '127.0.0.1']]);
      expect(await call(`http://${host}:${port}/`)).toMatchObject({ status: 'ok' });
    },
  );

  it.each(['127.0.0.1', 'localhost', '0.0.0.0', '[::]', '[::1]', '[::ffff:127.0.0.1]', '0x7f.1', '[64:ff9b::7f00:1]'])(
    'are refused where the installation says so: %s',
    async (host) => {
      names.set('localhost', [['::1', '127.0.0.1']]);
      const addresses = { deny: ['loopback' as const, 'private' as const], allow: [] };
      expect(await call(`http://${host}:${port}/`, { addresses })).toMatchObject(refused('NOETL_HTTP_DENY refuses'));
      expect(seen).toEqual([]);
    },
  );

  it.each(['10.0.0.1', '192.168.0.1', '172.16.0.1', '[fd00::1]', '[::ffff:10.0.0.1]', '8.8.8.8', '[::ffff:8.8.8.8]'])(
    'are refused as kinds of addresses, or by their network: %s',
    async (host) => {
      const addresses = { deny: ['private' as const, ...networks('8.0.0.0/8')], allow: [] };
      expect(await call(`http://${host}/`, { addresses })).toMatchObject(refused('NOETL_HTTP_DENY refuses'));
    },
  );
});

describe('the ports that NoETL itself listens on', () => {
  const own = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  const hosts = own.flatMap(({ address, family }) =>
    address.startsWith('fe80') ? [] : family === 'IPv6' ? [`[${address}]`] : [address, `[::ffff:${address}]`],
  );

  it.each(['127.0.0.1', '127.9.9.9', '0', '[::1]', '[::ffff:127.0.0.1]', 'own', ...hosts])(
    'are refused: %s',
    async (host) => {
      names.set('own', [['127.0.0.1']]);
      const ownPorts = new Set<number>();
      // Known only after the tools are open.
      const first = call(`http://${host}:${port}/`, {
        ownPorts,
        addresses: { deny: [], allow: networks('0.0.0.0/0') },
      });
      expect(await first).toMatchObject({ status: 'ok' });
      server.closeAllConnections();
      ownPorts.add(port);
      await until(async () => (await call(`http://${host}:${port}/`)).error?.kind === 'http.forbidden');
      expect(await call(`http://${host}:${port}/`)).toMatchObject(refused('where NoETL itself listens'));
      expect(await call(`http://${host}:1/`)).toMatchObject({ error: { kind: 'http.connect' } });
    },
  );
});

/** A connection that was just closed may still be taken for an open one. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < 100; round++) if (await condition()) return;
  throw new Error('never');
}
