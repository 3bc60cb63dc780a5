import { once } from 'node:events';
import { connect as connectSocket, isIP } from 'node:net';
import type { Client, ClientConfig } from 'pg';
import type { ServerAddress } from './server-address.ts';

type Api = typeof import('pg');

/** A connection that is ready for statements. */
export interface Connected {
  readonly client: Client;
  /** What makes a session of this server one that tasks can use; empty if it is one already. */
  readonly session: string;
}

export class ConnectTimeout extends Error {
  override name = 'ConnectTimeout';
}

/** A connection that is ready for statements. Throws why there is none. */
export async function connect(
  api: Api,
  address: ServerAddress,
  milliseconds: number,
  signal: AbortSignal,
): Promise<Connected> {
  const { sslmode } = address;
  if (sslmode !== 'prefer' || isLocal(address.host)) {
    return connected(api, address, isSecured(sslmode) ? tlsOf(address) : false, milliseconds, signal);
  }
  try {
    return await connected(api, address, tlsOf(address), milliseconds, signal);
  } catch (error) {
    if (!(error instanceof Error && /does not support SSL/.test(error.message))) throw error;
    return connected(api, address, false, milliseconds, signal);
  }
}

const isSecured = (sslmode: string): boolean => !['disable', 'allow', 'prefer'].includes(sslmode);
const isLocal = (host: string): boolean => host === 'localhost' || host.startsWith('/') || /^(?:127\.|::1$)/.test(host);

/** Only `verify-ca` and `verify-full` look at the certificate, as PostgreSQL's own clients do. */
function tlsOf({ sslmode, rootCertificate, host }: ServerAddress): Exclude<ClientConfig['ssl'], boolean | undefined> {
  const verifies = sslmode.startsWith('verify-');
  return {
    rejectUnauthorized: verifies,
    ...(rootCertificate === undefined ? {} : { ca: rootCertificate }),
    ...(sslmode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
    ...(isIP(host) === 0 ? { servername: host } : {}),
  };
}

async function connected(
  { Client: PgClient }: Api,
  { host, port, user, password, database, applicationName }: ServerAddress,
  ssl: ClientConfig['ssl'],
  milliseconds: number,
  signal: AbortSignal,
): Promise<Connected> {
  const client = new PgClient({
    host,
    port,
    ...(user === undefined ? {} : { user }),
    // An empty one keeps pg from looking for a password elsewhere.
    password: password ?? '',
    ...(database === undefined ? {} : { database }),
    application_name: applicationName,
    ...(ssl === undefined ? {} : { ssl }),
    keepAlive: true,
  });
  // What is lost with a connection is told to who uses it; without anybody to tell, Node would end the process.
  client.on('error', () => undefined);
  const settings = new Map<string, string>();
  client.connection.on('parameterStatus', ({ parameterName, parameterValue }: Setting) => {
    settings.set(parameterName, parameterValue);
  });
  const failure = new AbortController();
  const stop = () => failure.abort(signal.reason);
  const timer = setTimeout(() => failure.abort(new ConnectTimeout()), milliseconds);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    await Promise.race([client.connect(), rejected(failure.signal)]);
    const session = sessionOf(settings);
    if (session !== '') await client.query(session);
    return { client, session };
  } catch (error) {
    client.connection.stream.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** Since version 14 a server can notice that who asked is gone. */
const NOTICES_THE_END = 14;

/** Dates are read as ISO; literals rely on how texts are read; a query ends when the process that asked is killed. */
function sessionOf(settings: ReadonlyMap<string, string>): string {
  return [
    ...(settings.get('DateStyle')?.startsWith('ISO') ? [] : ['SET DateStyle = ISO']),
    ...(settings.get('standard_conforming_strings') === 'off' ? ['SET standard_conforming_strings = on'] : []),
    ...(Number.parseInt(settings.get('server_version') ?? '0', 10) >= NOTICES_THE_END
      ? ['SET client_connection_check_interval = 2000']
      : []),
  ].join('; ');
}

interface Setting {
  readonly parameterName: string;
  readonly parameterValue: string;
}

async function rejected(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}

const CANCEL_REQUEST = 80_877_102;

/** Asks the server to end what a connection runs; it does so, or has nothing to end. */
export async function cancelQuery({ host, port }: ServerAddress, client: Client, milliseconds: number): Promise<void> {
  const { processID, secretKey } = client as unknown as { readonly processID: number; readonly secretKey: number };
  const request = Buffer.alloc(16);
  for (const [i, word] of [16, CANCEL_REQUEST, processID, secretKey].entries()) request.writeInt32BE(word | 0, i * 4);
  const socket = host.startsWith('/') ? connectSocket(`${host}/.s.PGSQL.${port}`) : connectSocket(port, host);
  socket.setTimeout(milliseconds, () => socket.destroy());
  socket.on('error', () => undefined);
  socket.on('connect', () => socket.end(request));
  socket.resume();
  await once(socket, 'close');
}
