import { request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import type { Json } from '@noetl/playbook';
import { openDataFolder } from './data-folder.ts';
import { type FolderServer, type FolderServerOptions, openFolderServer } from './folder-server.ts';
import type { Machine } from './machine.ts';
import { systemClock } from './system-clock.ts';
import type { Terminal } from './terminal.ts';
import { thisMachine } from './this-machine.ts';

interface Answered {
  readonly status: number;
  readonly type: string;
  readonly body: Json;
}

export interface ServerUnderTest extends Pick<FolderServer, 'continued' | 'port' | 'token' | 'routes'> {
  readonly url: string;
  /** What it complained about. */
  complaints(): string;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  close(): Promise<void>;
}

/** A server of this process on a folder, with a port of its own. */
export async function serverUnderTest(
  folder: string,
  environment: Machine['environment'] = process.env,
  settings: Partial<FolderServerOptions> = {},
): Promise<ServerUnderTest> {
  const machine = { ...thisMachine, environment };
  const data = await openDataFolder(folder, systemClock, 'run', machine);
  let said = '';
  const terminal = {
    look: async () => undefined,
    now: Date.now,
    elapsed: () => performance.now(),
    seed: () => Math.floor(Math.random() * 2 ** 32),
    complain: (text: string) => {
      said += text;
    },
  } as unknown as Terminal;
  const usual = { host: '127.0.0.1', port: 0, slots: 4, tls: undefined, version: '1.2.3', clock: systemClock };
  const options = { data, ...usual, ...settings };
  const server = await openFolderServer(options, terminal, machine);
  const { port, token, continued, routes } = server;
  const url = `http://127.0.0.1:${port}`;
  const send: ServerUnderTest['send'] = (method, path, body, headers = {}) =>
    asked(method, `${url}${path}`, body, headers);
  return {
    url,
    port,
    token,
    routes,
    continued,
    complaints: () => said,
    send,
    get: (path, headers) => send('GET', path, undefined, headers),
    close: () => server.close(0),
  };
}

/** By hand: `fetch` sets Host and Origin itself. */
function asked(
  method: string,
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Answered> {
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        agent: false,
        headers: { ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      },
      (answer) => {
        const { statusCode = 0, headers: answered } = answer;
        const type = answered['content-type'] ?? '';
        textOf(answer).then(
          (read) => resolve({ status: statusCode, type, body: type.includes('json') ? JSON.parse(read) : read }),
          reject,
        );
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });
}
