import { join } from 'node:path';
import { tokenEntry } from '../../../server/made-token.ts';
import { CommandFailure } from '../../command-failure.ts';
import { type DataFolder, dataFolderPath, openDataFolder } from '../../data-folder.ts';
import { dataOption } from '../../data-option.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import { type FolderServer, type FolderServerOptions, FolderTaken, openFolderServer } from '../../folder-server.ts';
import { withLoggedFailure } from '../../log/logged-failure.ts';
import { createProgramLog, type LogOptions, type ProgramLog } from '../../log/program-log.ts';
import { hereHost, isLoopback, serverUrl } from '../../loopback.ts';
import type { Machine } from '../../machine.ts';
import { pause } from '../../pause.ts';
import { isThere } from '../../process-there.ts';
import { announceServer, forgetServer, runningServer, SERVER_OUTPUT } from '../../server-file.ts';
import { serverSettings } from '../../server-settings.ts';
import { stopRequest } from '../../stop-request.ts';
import { systemClock } from '../../system-clock.ts';
import type { Terminal } from '../../terminal.ts';
import { keepTokenFile, type TokenFile } from '../../token-file.ts';
import { things } from '../../views/quantity.ts';

export interface ServerStartOptions extends LogOptions {
  readonly host: string;
  readonly port: number;
  readonly data: string | undefined;
  readonly slots: number;
  readonly worker: boolean;
  readonly detach: boolean;
  /** Seconds that what runs may take to come to its end once the server is to stop. */
  readonly drain: number;
  /** Seconds that a worker in another process may be silent before its work goes on elsewhere. */
  readonly leaseTtl: number;
  readonly json: boolean;
  readonly version: string;
  /** Files with a certificate and its key, as PEM. */
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly tokenFiles: readonly TokenFile[];
}

/** Runs a server on a data folder, until somebody wants it to stop. */
export async function serverStart(
  options: ServerStartOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> {
  const folder = dataFolderPath(options.data, machine);
  const alone = async (): Promise<void> => {
    const other = await runningServer(folder, machine);
    if (other !== undefined) throw taken(other, other.url, options);
  };
  if (options.detach) {
    serverSettings(options.host, machine);
    await alone();
    return detached(folder, options, terminal, machine);
  }
  const log = createProgramLog(options, terminal);
  return withLoggedFailure(options, log, async () => {
    await alone();
    return served(folder, options, log, terminal, machine);
  });
}

async function served(
  folder: string,
  options: ServerStartOptions,
  log: ProgramLog,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> {
  const logged = { ...terminal, complain: log.complain };
  const stop = stopRequest(machine);
  try {
    const server = await opened(folder, options, log, logged, machine);
    return await serving(folder, server, options, stop.requested, logged, machine);
  } finally {
    stop.forget();
  }
}

async function keepTokenFiles(
  { tokenFiles }: ServerStartOptions,
  data: DataFolder,
  terminal: Terminal,
  machine: Machine,
): Promise<void> {
  for (const given of tokenFiles) {
    const told = await keepTokenFile(given, data, terminal.now(), machine);
    if (told !== undefined) terminal.complain(`${told}\n`);
  }
}

/** SEC-4: who reaches an address could run anything here; so callers have to be known. */
async function demandTokens(
  { host, data: given }: ServerStartOptions,
  { store }: DataFolder,
  now: number,
): Promise<void> {
  if (isLoopback(host)) return;
  const tokens = await store.tokens.list();
  if (tokens.some((token) => tokenEntry(token, now).valid)) return;
  throw new CommandFailure(
    EXIT.usage,
    `error: --host ${host}: anyone who reaches that address could run anything here, and no token is valid. Make one first: noetl token create NAME --role admin${dataOption(given)}, or give --token-file.`,
  );
}

const taken = (
  { pid }: Pick<FolderTaken, 'pid'>,
  url: string | undefined,
  { data }: ServerStartOptions,
): CommandFailure => {
  const which = [...(url === undefined ? [] : [url]), ...(pid === undefined ? [] : [`process ${pid}`])].join(', ');
  return new CommandFailure(
    EXIT.failed,
    `error: a server runs on this folder already: ${which}. noetl server stop${dataOption(data)} ends it.`,
  );
};

async function opened(
  folder: string,
  given: ServerStartOptions,
  log: ProgramLog,
  terminal: Terminal,
  machine: Machine,
): Promise<FolderServer> {
  const { host, port, slots, worker, leaseTtl, version } = given;
  const tls = await tlsOf(given, terminal);
  const data = await openDataFolder(folder, systemClock, 'run', machine);
  const options = {
    ...{ data, host, port, version, log },
    slots: worker ? slots : 0,
    tls,
    clock: systemClock,
    leaseTtl: leaseTtl * 1000,
  };
  try {
    await keepTokenFiles(given, data, terminal, machine);
    await demandTokens(given, data, terminal.now());
    return await openFolderServer(options, terminal, machine);
  } catch (error) {
    await data.close().catch(() => undefined);
    if (error instanceof FolderTaken) throw taken(error, (await runningServer(folder, machine))?.url, given);
    throw unheard(error, host, port) ?? error;
  }
}

/** Certificate and key; one without the other is a mistake. */
async function tlsOf({ tlsCert, tlsKey }: ServerStartOptions, terminal: Terminal): Promise<FolderServerOptions['tls']> {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new CommandFailure(EXIT.usage, 'error: --tls-cert and --tls-key belong together. Give both.');
  }
  const read = (file: string): Promise<string> =>
    terminal.read(file).catch((error: Error) => {
      throw new CommandFailure(EXIT.usage, `error: cannot read ${file}: ${error.message}`, { cause: error });
    });
  return { cert: await read(tlsCert), key: await read(tlsKey) };
}

/** The address cannot be had. */
function unheard(error: unknown, host: string, port: number): CommandFailure | undefined {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (code?.startsWith('ERR_OSSL') || code?.startsWith('ERR_SSL')) {
    return new CommandFailure(EXIT.usage, `error: --tls-cert and --tls-key cannot be used: ${message}`);
  }
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return undefined;
  const why =
    code === 'EADDRINUSE'
      ? 'is taken by another program. --port names another, 0 any that is free.'
      : code === 'EACCES'
        ? 'is not for this user. --port names another, from 1024 on.'
        : `cannot be had (${code}).`;
  return new CommandFailure(EXIT.failed, `error: port ${port} of ${host} ${why}`);
}

async function serving(
  folder: string,
  server: FolderServer,
  { host, drain, json, version, tlsCert }: ServerStartOptions,
  stop: Promise<string>,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> {
  const url = serverUrl(host, server.port, tlsCert !== undefined);
  const { pid, startedAt } = machine;
  try {
    const here = serverUrl(hereHost(host), server.port, tlsCert !== undefined);
    await announceServer(folder, { pid, startedAt, url: here, token: server.token, version });
    if (json) terminal.print(`${JSON.stringify({ url, pid, folder })}\n`);
    else terminal.complain(`listening on ${url}, executions in ${folder}\n`);
    if (!isLoopback(host) && tlsCert === undefined) {
      terminal.complain(
        'warning: tokens travel in the open; --tls-cert and --tls-key, or a proxy before it, keep them secret\n',
      );
    }
    server.continued.then(
      (count) => count > 0 && terminal.complain(`goes on with ${things(count, 'unfinished execution')}\n`),
      (error) => terminal.complain(`error: unfinished executions cannot be gone on with: ${error.message}\n`),
    );
    const why = await Promise.race([stop, server.lost.then(() => 'lost' as const)]);
    if (why === 'lost') {
      throw new CommandFailure(
        EXIT.failed,
        'error: NOETL_DRIVER_LOST: another process has taken this server for dead, and may go on with its executions. Nothing is lost; start it again.',
      );
    }
    const left = server.underWay();
    terminal.complain(`stopping${left === 0 ? '' : `; ${things(left, 'execution')} will go on with the next start`}\n`);
    return EXIT.ok;
  } finally {
    await server.close(drain * 1000);
    await forgetServer(folder);
  }
}

/** How long a server that was started on its own may take until it answers, in milliseconds. */
const PATIENCE = 30_000;
const LOOK = 50;

/** Starts it on its own, and answers when it listens. */
async function detached(
  folder: string,
  options: ServerStartOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> {
  const data = await openDataFolder(folder, systemClock, 'change', machine);
  await data.close();
  const output = join(folder, SERVER_OUTPUT);
  const { host, port, slots, worker, drain, leaseTtl, tlsCert, tlsKey, tokenFiles, logFormat, logLevel } = options;
  const pid = await machine.startDetached(
    [
      ...['server', 'start', '--data', folder, '--host', host, '--port', `${port}`],
      ...['--slots', `${slots}`, '--drain', `${drain}`, '--lease-ttl', `${leaseTtl}`],
      ...['--log-format', logFormat, '--log-level', logLevel],
      ...(worker ? [] : ['--no-worker']),
      ...(tlsCert === undefined ? [] : ['--tls-cert', tlsCert]),
      ...(tlsKey === undefined ? [] : ['--tls-key', tlsKey]),
      ...tokenFiles.flatMap(({ role, file }) => ['--token-file', `${role}=${file}`]),
    ],
    output,
  );
  for (const begun = terminal.elapsed(); terminal.elapsed() - begun < PATIENCE; await pause(LOOK)) {
    const server = await runningServer(folder, machine);
    if (server?.pid === pid) {
      terminal.print(
        options.json
          ? `${JSON.stringify({ url: server.url, pid, folder })}\n`
          : `listening on ${server.url}, process ${pid}; it writes to ${output}\n`,
      );
      return EXIT.ok;
    }
    if (!isThere(pid, machine)) break;
  }
  throw new CommandFailure(EXIT.failed, `error: the server has not come up. ${output} says why.`);
}
