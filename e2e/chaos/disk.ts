import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  mountSmallDisk,
  SMALL_DISKS,
  type SmallDisk,
} from '../../packages/noetl/src/stores/sqlite/small-disk.testing.ts';
import { STORE_FILE } from '../../packages/noetl/src/stores/sqlite/store.ts';
import type { Program } from '../program.testing.ts';
import { outlineDifferences } from './agreement.ts';
import { type CaseOptions, type Fate, type Lived, lived } from './lives.ts';
import type { Report } from './report.ts';
import type { Scenario } from './scenario.ts';
import { counting, type Injection, mostCalls, under, whyNoFaults } from './strace.ts';
import { createUndisturbed } from './undisturbed.ts';
import type { Verify } from './verification.ts';

const SYNCS = 'fsync,fdatasync';
const WRITES = 'pwrite64';
const READS = 'read,pread64';
/** One sentence with a code, and how to go on where something has begun. */
const BROKEN = /^error: NOETL_STORE_(BROKEN|IO|FULL): .+/;
const FULL = /^error: NOETL_STORE_FULL: .+\n.*noetl run --resume/s;

export interface DiskOptions {
  readonly program: Program;
  readonly scenarios: readonly Scenario[];
  /** Only the fault of this name. */
  readonly fault?: string | undefined;
  readonly chains: number;
  readonly verify: Verify;
  readonly report: Report;
  /** What is left out, and why. */
  readonly skipped: (why: string) => void;
}

/** What a disk does to the first process; the next one finds it well. */
interface DiskCase {
  readonly told: string;
  open(): { readonly fates: readonly Fate[]; readonly data?: string; readonly close?: () => void };
}

/** Disks that fail in a sync, in a write, that are slow, and that are full. */
export async function failDisks(options: DiskOptions): Promise<void> {
  const { program, scenarios, chains, verify, report, skipped, fault } = options;
  const undisturbed = createUndisturbed(program, verify);
  const why = whyNoFaults();
  if (why !== undefined) skipped(`errors of the disk are left out: ${why}`);
  if (!SMALL_DISKS) skipped('full disks are left out: they need root, and that mounting is allowed');
  for (const scenario of scenarios) {
    const expected = await undisturbed(scenario);
    const cases = [
      ...(why === undefined ? await injectedCases(program, scenario, verify) : []),
      ...(SMALL_DISKS ? fullCases(program, scenario) : []),
    ].filter(({ told }) => fault === undefined || told === fault);
    const remaining = cases[Symbol.iterator]();
    const chain = async (): Promise<void> => {
      for (let next = remaining.next(); !next.done; next = remaining.next()) {
        const { told, open } = next.value;
        const found = await livedOn(open(), { program, scenario, name: nameOf(scenario, told), verify });
        for (let death = 0; death < found.deaths; death++) report.died();
        report.ended({
          name: `${scenario.name}, ${told}`,
          ...found,
          problems: [...found.problems, ...outlineDifferences(expected.outline, found.outline)],
          plan: [`${told}: ${found.deaths > 0 ? 'the process gave up' : 'the process came to the end'}`],
          again: `npm run chaos -- --disk --only ${scenario.name} --fault '${told}'`,
        });
      }
    };
    await Promise.all(Array.from({ length: chains }, chain));
  }
}

const nameOf = ({ name }: Scenario, told: string): string => `${name}-${told.replace(/\W+/g, '-')}`;

async function livedOn(
  { fates, data, close }: ReturnType<DiskCase['open']>,
  options: Omit<CaseOptions, 'fates'>,
): Promise<Lived> {
  try {
    return await lived({ ...options, fates, ...(data === undefined ? {} : { data }) });
  } finally {
    close?.();
  }
}

/** Of a process that must give up, or may come to its end all the same. */
export const failingUnder = (injection: Injection): Fate => ({ through: under(injection), failure: BROKEN });

/** Every sync fails once, each in turn; some fail from then on; some writes fail; all syncs are slow. */
async function injectedCases(program: Program, scenario: Scenario, verify: Verify): Promise<readonly DiskCase[]> {
  const count = async (calls: string): Promise<number> => {
    const file = join(program.folder, `${scenario.name}-${calls}.calls`);
    await lived({
      program,
      scenario,
      name: `${scenario.name}-${calls}`,
      fates: [{ through: counting(calls, file) }],
      verify,
    });
    return mostCalls(calls, file);
  };
  const [syncs, writes] = [await count(SYNCS), await count(WRITES)];
  const each = (last: number, step: number): readonly number[] =>
    Array.from({ length: Math.ceil(last / step) }, (_, nth) => 1 + nth * step);
  const some = (last: number): readonly number[] => each(last, Math.ceil(last / 10));
  const fails = (told: string, calls: string, fault: string): DiskCase => ({
    told,
    open: () => ({ fates: [failingUnder({ calls, fault })] }),
  });
  /** A process dies, and the next cannot read what it has left in the write-ahead log. */
  const unreadable = (nth: number): DiskCase => {
    const told = `death in write ${nth}, and a log that cannot be read`;
    return {
      told,
      open: () => {
        const file = join(program.folder, nameOf(scenario, told), 'data', `${STORE_FILE}-wal`);
        const dies = failingUnder({ calls: WRITES, fault: `signal=SIGKILL:when=${nth}` });
        return { fates: [dies, failingUnder({ calls: READS, fault: 'error=EIO', file })] };
      },
    };
  };
  return [
    ...each(syncs, 1).map((nth) => fails(`EIO in sync ${nth}`, SYNCS, `error=EIO:when=${nth}`)),
    ...each(syncs, 4).map((nth) => fails(`EIO in all syncs from ${nth} on`, SYNCS, `error=EIO:when=${nth}+`)),
    ...some(writes).map((nth) => fails(`EIO in write ${nth}`, WRITES, `error=EIO:when=${nth}`)),
    ...some(writes).map((nth) => fails(`no space in write ${nth}`, WRITES, `error=ENOSPC:when=${nth}`)),
    ...some(writes).map((nth) => fails(`death in write ${nth}`, WRITES, `signal=SIGKILL:when=${nth}`)),
    // With the first there is no such log yet.
    ...some(writes).slice(1).map(unreadable),
    fails('slow syncs', SYNCS, 'delay_exit=100000'),
  ];
}

/** A small disk is full; there is space again after the process has given up, or while it still tries. */
function fullCases(program: Program, scenario: Scenario): readonly DiskCase[] {
  const small = (told: string, use: (disk: SmallDisk) => Fate): DiskCase => ({
    told,
    open: () => {
      const data = join(program.folder, `${nameOf(scenario, told)}-disk`);
      mkdirSync(data);
      const disk = mountSmallDisk(data, 1);
      return { fates: [use(disk)], data, close: disk.remove };
    },
  });
  if (scenario.name !== 'large') return [];
  return [
    small('a full disk, and space after the end', (disk) => ({ failure: FULL, after: () => disk.resize(50) })),
    small('a full disk, and space in time', (disk) => ({
      watch: () => {
        const timer = setTimeout(() => disk.resize(50), 3_000);
        return { printed: () => undefined, forget: () => clearTimeout(timer) };
      },
    })),
  ];
}
