import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isOfPool } from '../../packages/noetl/src/server/worker-pool.ts';
import { openProgram, type Program } from '../program.testing.ts';
import { CASES } from './cases.ts';
import { type DistributedRuns, distributedRuns } from './distributed-runs.ts';
import { embeddedOutcomes } from './embedded-runs.ts';
import { doersOf, outcomeOf } from './stored-executions.ts';

const EXECUTIONS = 1_000;
const TIMEOUT = 600_000;

/** What the playbooks say of where steps are done. */
const POOLS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pools: { paint: 'painters,floor=2', dry: 'painters', leave: 'door=left' },
  python: { read: 'painters' },
  joins: { ship: 'painters' },
  sql: { rows: 'painters' },
};

describe('1,000 mixed executions by a server and three workers of two pools', { timeout: TIMEOUT }, () => {
  let program: Program;
  let embedded: readonly (readonly string[])[];
  let runs: DistributedRuns;
  beforeAll(async () => {
    program = openProgram();
    embedded = await embeddedOutcomes(program);
    runs = await distributedRuns(program, EXECUTIONS);
  }, TIMEOUT);
  afterAll(() => program.close());

  const caseOf = (nth: number) => CASES[nth % CASES.length]?.name ?? '';
  const memberOf = (worker: string) => {
    const { pool = '', labels = [] } = runs.workers.find(({ name }) => name === worker) ?? {};
    return { pool, labels: Object.fromEntries(labels.map((label) => label.split('='))) };
  };

  it('end as in one process: status, result, kind of error, and every step, iteration and attempt (ENG-15)', () => {
    expect(runs.families).toHaveLength(EXECUTIONS);
    const different = runs.families.flatMap((family, nth) => {
      const [found, wanted] = [outcomeOf(family), embedded[nth % CASES.length] ?? []];
      return JSON.stringify(found) === JSON.stringify(wanted) ? [] : [{ of: CASES[nth % CASES.length], found, wanted }];
    });
    const [first] = different;
    expect(first?.found, `${different.length} differ; the first is ${JSON.stringify(first?.of)}`).toEqual(
      first?.wanted,
    );
    const ends = new Set(
      embedded.flat().flatMap((line) => /execution 1 ends: \{"status":"(\w+)"/.exec(line)?.[1] ?? []),
    );
    expect([...ends].sort()).toEqual(['cancelled', 'error', 'success']);
  });

  it('leave logs that are intact (EVT-3)', async () => {
    const { code, stdout } = await program.run(['exec', 'verify', '--all', '--data', runs.data, '--json']);
    const verified = stdout.trim().split('\n');
    expect({ code, broken: verified.filter((line) => !line.includes('"intact":true')) }).toEqual({
      code: 0,
      broken: [],
    });
    expect(verified.length).toBeGreaterThan(EXECUTIONS);
  });

  it('are done by workers of the pool that each step names', () => {
    for (const [nth, family] of runs.families.entries()) {
      for (const { step, worker } of doersOf(family)) {
        expect(worker).not.toBe('');
        const pool = POOLS[caseOf(nth)]?.[step] ?? '';
        if (!isOfPool(memberOf(worker), pool)) expect(`${step} by ${worker}`).toBe(`a worker of '${pool}'`);
      }
    }
  });

  it('have loops that stay on one worker, and loops that are spread (DESIGN §4)', () => {
    const doers = (name: string, step: string): readonly number[] =>
      runs.families.flatMap((family, nth) => {
        const of = doersOf(family).filter((doer) => doer.step === step);
        return caseOf(nth) === name ? [new Set(of.map(({ worker }) => worker)).size] : [];
      });
    expect(new Set(doers('local', 'kept'))).toEqual(new Set([1]));
    expect(doers('loops', 'spread').filter((workers) => workers === 2).length).toBeGreaterThan(0);
    const busy = new Set(runs.families.flatMap((family) => doersOf(family).map(({ worker }) => worker)));
    expect(busy).toEqual(new Set(runs.workers.map(({ name }) => name)));
  });
});
