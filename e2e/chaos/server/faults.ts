import { once } from 'node:events';
import { kill } from '../kill.ts';
import type { Ailments } from './ailments.ts';
import type { FaultPlan } from './fault-plan.ts';
import type { FaultyLine } from './faulty-line.ts';
import type { Fleet, Place } from './fleet.ts';
import type { FullDisk } from './full-disk.ts';

/** A worker that has lost its leases, and when. */
export interface Loss {
  readonly at: number;
  readonly worker: string;
  readonly pool: string;
}

export interface FaultSurroundings {
  readonly fleet: Fleet;
  readonly ailments: Ailments;
  readonly disk: FullDisk | undefined;
  lost(loss: Loss): void;
  /** Begins an execution whose work is for the pool that has nothing else to do; resolves once it has begun. */
  ring(): Promise<{ readonly ended: boolean }>;
}

/** The pool of who has nothing else to do than to be woken. */
export const QUIET = 'quiet';
const CLAIM = 'POST /api/work/claim';
const REPORT = 'POST /api/work/report';
/** As long as it is waited for something that comes soon, in milliseconds. */
const SOON = 20_000;
/** Of all workers, as many may be unwell at a time. */
const MOST_AILING = 2;

/** What a fault was done to; undefined if it could not be done. */
export type Done = { readonly to: string; readonly over: Promise<void> } | undefined;

/** Does what is planned as soon as there is somebody to do it to. */
export async function inflict(plan: FaultPlan, around: FaultSurroundings): Promise<Done> {
  const { fleet, ailments, disk } = around;
  if (plan.kind === 'server killed' || plan.kind === 'disk full') {
    if (!(await comes(() => ailments.isWell('server')))) return undefined;
    if (plan.kind === 'server killed') return { to: 'the server', over: serverKilled(around) };
    return disk === undefined ? undefined : { to: 'the server', over: diskFull(plan, disk, around) };
  }
  const isQuiet = plan.kind === 'wake-up lost';
  if (plan.clients && isOfLine(plan)) return { to: 'the clients', over: lineBroken(plan, fleet.clients, true) };
  const well = (): readonly Place[] =>
    fleet.places.filter(({ pool, number }) => (pool === QUIET) === isQuiet && ailments.isWell(number));
  const few = (): boolean => ailments.ailing().filter((patient) => patient !== 'server').length < MOST_AILING;
  if (!(await comes(() => (isQuiet || few()) && well().length > 0))) return undefined;
  const place = well()[plan.choice % well().length] as Place;
  return { to: `worker ${place.worker.life} of ${place.pool}`, over: placeHit(plan, place, around) };
}

const isOfLine = ({ kind }: FaultPlan): boolean => /^(connections|requests|answers)/.test(kind);

async function placeHit(plan: FaultPlan, place: Place, around: FaultSurroundings): Promise<void> {
  const heal = around.ailments.begin(place.number);
  try {
    if (plan.kind === 'worker killed') await workerKilled(plan, place, around);
    else if (plan.kind === 'worker stopped') await workerStopped(plan, place, around);
    else if (plan.kind === 'wake-up lost') await wakeUpLost(plan, place, around);
    else {
      await lineBroken(plan, place.line, false);
      if (plan.kind !== 'requests repeated') await place.line.next(CLAIM, SOON);
    }
  } finally {
    heal();
  }
}

async function serverKilled({ fleet, ailments }: FaultSurroundings): Promise<void> {
  const heal = ailments.begin('server');
  const server = fleet.server();
  fleet.expectEnd(server);
  const exited = once(server, 'exit');
  if (server.exitCode === null) {
    server.kill('SIGKILL');
    await exited;
  }
  await fleet.restart();
  await ready(fleet);
  heal();
}

/** Until the executions of the folder go on, and the workers ask again. */
async function ready(fleet: Fleet): Promise<void> {
  await comes(async () => {
    const answer = await fetch(`http://127.0.0.1:${fleet.port()}/api/ready`).catch(() => undefined);
    return answer?.ok === true;
  });
}

async function workerKilled({ victims }: FaultPlan, place: Place, around: FaultSurroundings): Promise<void> {
  const { child, name } = place.worker;
  around.fleet.expectEnd(child);
  const exited = once(child, 'exit');
  around.lost({ at: Date.now(), worker: name, pool: place.pool });
  kill(child, victims);
  await exited;
  const asks = place.line.next(CLAIM, SOON);
  await around.fleet.replace(place);
  await asks;
}

async function workerStopped({ lasts }: FaultPlan, place: Place, around: FaultSurroundings): Promise<void> {
  const { child, name } = place.worker;
  around.lost({ at: Date.now(), worker: name, pool: place.pool });
  child.kill('SIGSTOP');
  await pause(lasts);
  const asks = place.line.next(CLAIM, SOON);
  child.kill('SIGCONT');
  await asks;
}

async function lineBroken(plan: FaultPlan, line: FaultyLine, clients: boolean): Promise<void> {
  const { kind, lasts, delay, variant } = plan;
  if (kind === 'connections cut') {
    line.cut();
    return;
  }
  if (kind === 'requests repeated') {
    line.repeat(1 + (variant % 4), clients ? 'POST ' : ([REPORT, REPORT, CLAIM, ''][variant % 4] ?? ''));
    await pause(lasts);
    line.repeat(0);
    return;
  }
  const bad = kind === 'connections slow' ? { delay } : 'lost';
  line.set({
    ...(kind === 'answers lost' ? {} : { requests: bad }),
    ...(kind === 'requests lost' ? {} : { answers: bad }),
  });
  await pause(lasts);
  line.set({ requests: 'open', answers: 'open' });
  if (bad === 'lost') line.cut();
}

/** Who waits for work is cut off from what would wake it, and then there is work; nothing else happens until it is done. */
async function wakeUpLost({ variant }: FaultPlan, place: Place, around: FaultSurroundings): Promise<void> {
  const { line } = place;
  if (line.waiting(CLAIM) === 0) await line.next(CLAIM, SOON);
  const rung = await (variant % 3 === 0 ? cutWhile(line, around) : loseClaim(line, variant % 3 === 1, around));
  await comes(() => rung.ended);
}

async function cutWhile(line: FaultyLine, { ring }: FaultSurroundings): ReturnType<FaultSurroundings['ring']> {
  const rung = ring();
  line.cut();
  return rung;
}

async function loseClaim(
  line: FaultyLine,
  request: boolean,
  { ring }: FaultSurroundings,
): ReturnType<FaultSurroundings['ring']> {
  const asks = line.next(CLAIM, SOON);
  line.lose(request ? 'request' : 'answer', CLAIM);
  line.cut();
  await asks;
  return ring();
}

async function diskFull({ lasts }: FaultPlan, disk: FullDisk, { fleet, ailments }: FaultSurroundings): Promise<void> {
  const heal = ailments.begin('server');
  const server = fleet.server();
  fleet.expectEnd(server);
  disk.fill();
  await pause(lasts);
  disk.free();
  // It has waited for space, or has given up.
  await Promise.race([once(server, 'exit'), pause(2_000)]);
  if (server.exitCode === null) fleet.expectNoEnd(server);
  else await fleet.restart();
  await ready(fleet);
  heal();
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** False if it does not come soon. */
async function comes(holds: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const begun = Date.now(); Date.now() - begun < SOON; await pause(25)) if (await holds()) return true;
  return false;
}
