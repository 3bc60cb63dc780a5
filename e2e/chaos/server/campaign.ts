import { appendFileSync, cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SMALL_DISKS } from '../../../packages/noetl/src/stores/sqlite/small-disk.testing.ts';
import type { Program } from '../../program.testing.ts';
import { openServerCalls } from '../../server-calls.testing.ts';
import { openLedger } from '../ledger.ts';
import { RUNG, SERVED } from '../scenario.ts';
import { createUndisturbed } from '../undisturbed.ts';
import { openUnreliableApi } from '../unreliable-api.ts';
import { verifiedInPlace } from '../verification.ts';
import { createAilments } from './ailments.ts';
import { FAULT_KINDS, type FaultKind, plannedFault } from './fault-plan.ts';
import { inflict, type Loss, QUIET } from './faults.ts';
import { type Fleet, openFleet } from './fleet.ts';
import { openFullDisk } from './full-disk.ts';
import { type Judgement, judged } from './judgement.ts';
import { openLoad } from './load.ts';
import { keepAccount } from './store-account.ts';

export interface CampaignOptions {
  readonly program: Program;
  readonly seed: number;
  /** How many faults, or for how many seconds. */
  readonly faults: number | undefined;
  readonly seconds: number | undefined;
  /** Whether it matters how long it took until work went on: on a machine that has more to do it says little. */
  readonly punctual: boolean;
  /** What is left out, and why. */
  readonly skipped: (why: string) => void;
  readonly progress: (told: string) => void;
}

export interface CampaignResult extends Judgement {
  readonly seed: number;
  readonly seconds: number;
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  readonly folder: string;
}

/** Seconds. */
export const TTL = 3;
/** DESIGN §4 and issue 10, in milliseconds. */
export const RE_LEASED_WITHIN = (TTL + 3) * 1_000;
export const CLAIMED_WITHIN = 5_000;
const POOLS = ['default', 'default', 'default', 'second', 'second', QUIET];
const LANES = 6;
/** How long what was begun may take to end once nothing is wrong any more, in milliseconds. */
const SETTLED_WITHIN = 240_000;

/** A server and workers under load, while things happen to them that a seed names; then everything is compared. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const { program, seed, punctual, skipped } = options;
  const begun = performance.now();
  const folder = join(program.folder, 'server');
  const data = join(folder, 'data');
  mkdirSync(data, { recursive: true });
  const expected = createUndisturbed(program, verifiedInPlace);
  for (const scenario of [...SERVED, RUNG]) await expected(scenario);
  const ledger = openLedger(join(folder, 'ledger'));
  const api = await openUnreliableApi(ledger, () => 0);
  if (!SMALL_DISKS) skipped('full disks are left out: they need root, and that mounting is allowed');
  const disk = SMALL_DISKS ? openFullDisk(data) : undefined;
  let fleet: Fleet | undefined;
  let failed = true;
  try {
    fleet = await openFleet({
      program,
      data,
      output: join(folder, 'output'),
      ledger: ledger.file,
      ttl: TTL,
      pools: POOLS,
      playbooks: join(import.meta.dirname, '../playbooks'),
    });
    await keepAccount(data);
    const calls = openServerCalls(`http://127.0.0.1:${fleet.port()}`);
    for (const { file } of [...SERVED, RUNG]) await calls.register(readFileSync(file, 'utf8'));
    const load = openLoad({
      seed,
      scenarios: SERVED,
      url: `http://127.0.0.1:${fleet.clients.port}`,
      apiUrl: api.url,
      lanes: LANES,
    });
    const losses: Loss[] = [];
    const ailments = createAilments(Date.now);
    const ring = (): ReturnType<typeof load.start> => load.start(RUNG);
    const around = { fleet, ailments, disk, lost: (loss: Loss) => losses.push(loss), ring };
    const { faults, failures } = await inflictAll(options, around, join(folder, 'faults.jsonl'));
    await load.finish(SETTLED_WITHIN);
    const unfinished = await nothingUnfinished(fleet);
    await fleet.close();
    const judgement = await judged({
      program,
      fleet,
      ledger,
      started: load.started(),
      losses,
      ailments,
      expected,
      rung: RUNG,
    });
    const { reLease, wakeUp, answer } = judgement;
    const problems = [
      ...failures,
      ...fleet.problems(),
      ...load.problems(),
      ...unfinished,
      ...judgement.problems,
      ...(punctual ? latenesses(reLease.worst, answer.worst, wakeUp.worst) : []),
    ];
    failed = problems.length > 0;
    const seconds = Math.round((performance.now() - begun) / 1_000);
    return { ...judgement, problems, seed, seconds, faults, folder };
  } finally {
    await fleet?.abort();
    await api.close();
    // A disk of its own is gone with its mount.
    if (failed && disk !== undefined) cpSync(data, join(folder, 'data-kept'), { recursive: true });
    disk?.remove();
  }
}

async function inflictAll(
  { seed, faults: most, seconds, progress }: CampaignOptions,
  around: Parameters<typeof inflict>[1],
  file: string,
): Promise<{ readonly faults: CampaignResult['faults']; readonly failures: readonly string[] }> {
  const kinds = FAULT_KINDS.filter((kind) => kind !== 'disk full' || around.disk !== undefined);
  const counts: Partial<Record<FaultKind, number>> = {};
  const failures: string[] = [];
  const under = new Set<Promise<void>>();
  const begun = Date.now();
  let done = 0;
  const more = (): boolean =>
    seconds === undefined ? done < (most ?? 0) : Date.now() - begun < seconds * 1_000 && done < (most ?? 1e9);
  for (let number = 1; more(); number++) {
    const plan = plannedFault(number, { seed, kinds, ttl: TTL * 1_000 });
    const inflicted = await inflict(plan, around);
    if (inflicted !== undefined) {
      done += 1;
      counts[plan.kind] = (counts[plan.kind] ?? 0) + 1;
      appendFileSync(file, `${JSON.stringify({ at: Date.now(), to: inflicted.to, ...plan })}\n`);
      progress(`${done} faults, ${Math.round((Date.now() - begun) / 1_000)} s: ${plan.kind}`);
      const over = inflicted.over
        .catch((error: Error) => void failures.push(`fault ${number}, ${plan.kind}: ${error.message}`))
        .finally(() => under.delete(over));
      under.add(over);
    }
    await new Promise((wake) => setTimeout(wake, plan.gap));
  }
  await Promise.all(under);
  return { faults: counts, failures };
}

/** Also what nobody waited for. */
async function nothingUnfinished(fleet: Fleet): Promise<readonly string[]> {
  for (const begun = Date.now(); ; await new Promise((wake) => setTimeout(wake, 200))) {
    const answer = await fetch(`http://127.0.0.1:${fleet.port()}/api/unfinished`).catch(() => undefined);
    const { executions } = (answer?.ok ? await answer.json() : { executions: undefined }) as {
      readonly executions?: readonly unknown[];
    };
    if (executions?.length === 0) return [];
    if (Date.now() - begun > SETTLED_WITHIN) return [`${executions?.length ?? 'unknown'} executions do not end`];
  }
}

function latenesses(reLease: number, answer: number, wakeUp: number): readonly string[] {
  const worst = Math.max(reLease, answer);
  return [
    ...(worst > RE_LEASED_WITHIN ? [`work of a lost worker was leased again after ${worst} ms`] : []),
    ...(wakeUp > CLAIMED_WITHIN ? [`work was claimed ${wakeUp} ms after its wake-up was lost`] : []),
  ];
}
