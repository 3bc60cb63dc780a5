import { randomBytes } from 'node:crypto';
import { iterationId, stepRunId } from '@noetl/engine';
import type { Pool } from '../api/workers.ts';
import { createInProcessDoorbell } from '../doorbell/in-process.ts';
import type { Audit } from '../ports/audit.ts';
import type { Clock } from '../ports/clock.ts';
import { repeatedly } from '../repeatedly.ts';
import { type HttpServer, openHttpServer } from '../server/http/http-server.ts';
import { createRateLimit } from '../server/http/rate-limit.ts';
import type { Route } from '../server/http/route.ts';
import { createServerMetrics } from '../server/metrics/server-metrics.ts';
import { poolsOf } from '../server/pools.ts';
import { recentTokens } from '../server/recent-tokens.ts';
import { auditRoutes } from '../server/routes/audit.ts';
import { catalogRoutes } from '../server/routes/catalog.ts';
import { credentialRoutes } from '../server/routes/credentials.ts';
import { withDocumentation } from '../server/routes/documentation.ts';
import { controlRoutes } from '../server/routes/execution-control.ts';
import { logRoutes } from '../server/routes/execution-log.ts';
import { readingRoutes } from '../server/routes/execution-reading.ts';
import { executionRoutes } from '../server/routes/executions.ts';
import { healthRoutes } from '../server/routes/health.ts';
import { metricsRoutes } from '../server/routes/metrics.ts';
import { tokenRoutes } from '../server/routes/tokens.ts';
import { workRoutes } from '../server/routes/work.ts';
import { workerRoutes } from '../server/routes/workers.ts';
import { tokenAccess } from '../server/token-access.ts';
import { DEFAULT_POOL } from '../server/worker-pool.ts';
import { openTools } from '../tools/registry.ts';
import { collectedNotes } from './audit-notes.ts';
import { buryDead } from './bury-dead.ts';
import { openCalledPlaybooks } from './called-playbooks.ts';
import { continueUnfinished } from './continue-unfinished.ts';
import { credentialWork } from './credential-work.ts';
import { type DataFolder, openReader } from './data-folder.ts';
import { executionId } from './execution-id.ts';
import { folderSecrets } from './folder-secrets.ts';
import { httpAddresses } from './http-addresses.ts';
import { leaseKeyOf } from './lease-key.ts';
import { type LocalDriver, openLocalDriver } from './local-driver.ts';
import { logEvents } from './log/event-entries.ts';
import type { ProgramLog } from './log/program-log.ts';
import { isLoopback } from './loopback.ts';
import type { Machine } from './machine.ts';
import { watchProcess } from './process-health.ts';
import { processTracing } from './process-tracing.ts';
import { serverSettings } from './server-settings.ts';
import { serverWork } from './server-work.ts';
import type { Terminal } from './terminal.ts';
import { unservedPools } from './unserved-pools.ts';

export interface FolderServerOptions {
  readonly data: DataFolder;
  readonly host: string;
  readonly port: number;
  /** How many pipelines run at a time in this process; 0 for none. */
  readonly slots: number;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  readonly version: string;
  readonly clock: Clock;
  /** How long a worker in another process may be silent before its work goes on elsewhere, in milliseconds. */
  readonly leaseTtl?: number;
  /** Told what becomes of executions and requests. */
  readonly log?: ProgramLog;
}

/** A server on a data folder: it drives the folder's executions and answers requests. */
export interface FolderServer {
  readonly port: number;
  readonly routes: readonly Route[];
  /** What commands of this machine show; it is made anew with each start. */
  readonly token: string;
  /** How many executions of the folder went on, once all that can have. */
  readonly continued: Promise<number>;
  /** Resolves if another process has taken this one for dead. */
  readonly lost: Promise<void>;
  underWay(): number;
  close(drain: number): Promise<void>;
}

/** Requests a second from an address that are refused because nobody knows who asks: each is noted in the audit log. */
const STRANGERS = 10;
/** How often it is looked for executions whose process has died, in milliseconds. */
const ADOPTION = 10_000;
/** How often it is looked whether work waits for workers that are not there. */
const LOOK_AT_POOLS = 3_000;
const LEASE_TTL = 15_000;
/** How long requests that are under way may take to come to their end when the server stops, in milliseconds. */
const CLOSING = 3_000;
/** What a server drives beside executions: the folder itself. No execution has a name like this. */
const FOLDER = 'server';

/** Another server has the folder. */
export class FolderTaken extends Error {
  readonly pid: number | undefined;

  constructor(pid: number | undefined) {
    super('a server runs on this folder already.');
    this.name = 'FolderTaken';
    this.pid = pid;
  }
}

export async function openFolderServer(
  options: FolderServerOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<FolderServer> {
  const { data, clock, version, log } = options;
  const { names, rate, running } = serverSettings(options.host, machine);
  const ownPorts = new Set<number>();
  const doorbell = createInProcessDoorbell();
  const tell = (text: string): void => terminal.complain(`${text}\n`);
  let lose = (): void => undefined;
  const lost = new Promise<void>((resolve) => {
    lose = resolve;
  });
  const told = new Set<string>();
  let stopping = false;
  const health = watchProcess();
  const metrics = createServerMetrics({
    underWay: () => driver.underWay(),
    waiting: () => driver.waiting(),
    workers: () =>
      new Map(poolsOf(new Map(), driver.exchange?.workers.list() ?? []).map(({ pool, workers }) => [pool, workers])),
    process: health.look,
    spans: () => tracing?.counts(),
  });
  const driverId = executionId(terminal.now(), terminal.seed);
  const tracing = await processTracing(data, version, machine, terminal.complain);
  const driver = await openLocalDriver({
    data,
    machine,
    clock,
    tools: openTools({ ...machine, addresses: httpAddresses(machine), ownPorts }),
    driverId,
    slots: options.slots,
    secrets: folderSecrets(data, machine, clock, terminal.complain, ownPorts),
    called: openCalledPlaybooks(data, terminal, machine),
    remote: {
      key: await leaseKeyOf(data.folder, machine.pid),
      ttl: options.leaseTtl ?? LEASE_TTL,
      expired: ({ worker, execution, step, work }) => {
        metrics.expired();
        const step_run = stepRunId(execution, work.run);
        const iteration = work.path.length === 0 ? undefined : iterationId(execution, work);
        log?.write('warn', 'lease expired', { execution, step_run, iteration, step, worker });
      },
    },
    claimed: (waited) => metrics.claimed(waited),
    traced: tracing?.traced,
    committed: (events, state) => {
      metrics.committed(events);
      tracing?.committed(events, state);
      if (log !== undefined) logEvents(log, events);
      for (const id of new Set(events.map(({ execution_id }) => execution_id))) doorbell.ring(id);
    },
    lost: () => lose(),
  });
  await takeFolder(data, driverId, driver);
  const reading = await openReader(data, clock).catch(async (error) => {
    await driver.close();
    throw error;
  });
  const closeStore = async (): Promise<void> => {
    await reading.close();
    await driver.close();
  };
  const { byHash, any } = reading.store.tokens;
  const tokens = recentTokens({ ...data.store.tokens, byHash, any }, clock);
  const auditing = collectedNotes(data.store.audit, tell);
  const token = `noetl_local_${randomBytes(24).toString('base64url')}`;
  let unready: string | undefined = 'the server goes on with the unfinished executions of its folder. Ask again soon.';
  const routes = routesOf(() => unready);
  const http = await openHttpServer({
    routes,
    access: tokenAccess({ tokens, clock, ownToken: token, loopback: isLoopback(options.host) }),
    names,
    rate: createRateLimit(rate, clock.now),
    strangers: createRateLimit(Math.min(rate, STRANGERS), clock.now),
    clock,
    tls: options.tls,
    audit: ({ method, path, about, ...told }) => {
      auditing.note({ at: clock.now(), ...told, what: [method, path, about].filter((word) => word).join(' ') });
    },
    answered: (request) => {
      metrics.answered(request);
      log?.write('debug', 'request answered', { ...request });
    },
    failed: (message) => tell(`error: ${message}`),
  }).catch(async (error) => {
    await closeStore();
    throw error;
  });
  const port = await listening(http, options, closeStore);
  ownPorts.add(port);
  const continued = goOn().finally(() => {
    if (!stopping) unready = undefined;
  });
  const stopAdopting = repeatedly(clock, ADOPTION, () => continued.catch(() => undefined).then(goOn));
  const lookAtPools = unservedPools(({ pool, waiting }) => log?.write('warn', 'no worker for pool', { pool, waiting }));
  const stopLooking = repeatedly(clock, LOOK_AT_POOLS, async () => lookAtPools(pools()));

  /** With what was noted until now. */
  async function notedList(...page: Parameters<Audit['list']>): ReturnType<Audit['list']> {
    await auditing.flush();
    return data.store.audit.list(...page);
  }

  function routesOf(reason: () => string | undefined): readonly Route[] {
    const work = serverWork(data, reading, driver, running, terminal, machine);
    const routes = [
      ...healthRoutes({ version, unready: reason, underWay: driver.underWay }),
      ...metricsRoutes(metrics),
      ...catalogRoutes(work),
      ...executionRoutes(work),
      ...controlRoutes(work),
      ...readingRoutes(work),
      ...credentialRoutes(credentialWork(data, machine, terminal.now)),
      ...(driver.exchange === undefined
        ? []
        : [...workRoutes(driver.exchange, reason), ...workerRoutes(driver.exchange.workers, pools)]),
      ...logRoutes({ ...reading.store, doorbell, clock }),
      ...tokenRoutes({ tokens, clock }),
      ...auditRoutes({ ...data.store.audit, list: notedList }),
    ];
    return withDocumentation(routes, version);
  }

  function pools(): readonly Pool[] {
    const own = options.slots === 0 ? [] : [{ pool: DEFAULT_POOL, labels: {}, slots: options.slots }];
    return poolsOf(driver.waiting(), [...own, ...(driver.exchange?.workers.list() ?? [])]);
  }

  async function goOn(): Promise<number> {
    await buryDead(data.store.drivers, machine);
    return continueUnfinished(data, driver, machine, tellOnce, () => stopping);
  }

  /** What cannot go on is met again with every look. */
  function tellOnce(text: string): void {
    if (told.has(text)) return;
    told.add(text);
    tell(text);
  }

  return {
    port,
    routes,
    token,
    continued,
    lost,
    underWay: driver.underWay,
    async close(drain) {
      stopping = true;
      unready = 'the server is stopping.';
      // What runs comes to its end from now on, also while somebody still reads a long answer.
      await Promise.all([http.close(CLOSING), driver.drain(drain)]);
      await continued.catch(() => undefined);
      await stopAdopting();
      await stopLooking();
      health.close();
      await auditing.flush();
      await closeStore();
      await tracing?.close();
    },
  };
}

/** Of two servers that are started at once on a folder, the store lets one have it. */
async function takeFolder({ store }: DataFolder, driverId: string, driver: LocalDriver): Promise<void> {
  const [taking] = await store.drivers.drive(driverId, [FOLDER]);
  if (taking !== 'refused') return;
  const other = await store.drivers.driverOf(FOLDER);
  await driver.close();
  throw new FolderTaken(other?.pid);
}

async function listening(
  http: HttpServer,
  { host, port }: FolderServerOptions,
  close: () => Promise<void>,
): Promise<number> {
  try {
    return await http.listen(host, port);
  } catch (error) {
    await http.close(0);
    await close();
    throw error;
  }
}
