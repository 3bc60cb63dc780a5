import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chanceOf, dice } from '../../packages/noetl/src/simulation/dice.testing.ts';
import type { Program } from '../program.testing.ts';
import { outlineDifferences } from './agreement.ts';
import { type Fate, type Lived, lived } from './lives.ts';
import type { Report } from './report.ts';
import type { Scenario } from './scenario.ts';
import { rootsOf, storedHistory } from './stored-history.ts';
import type { Verify } from './verification.ts';

const PRELOADED = pathToFileURL(join(import.meta.dirname, 'crash-at-commit.mjs')).href;

const MOMENTS = ['before', 'after'] as const;
type Moment = (typeof MOMENTS)[number];

interface Point {
  readonly commit: number;
  readonly moment: Moment;
}

/** Ends its process at a commit of the store, from inside. */
const diesAt = ({ commit, moment }: Point): Fate => ({
  env: { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${PRELOADED}`, CHAOS_DIE_AT: `${commit} ${moment}` },
});

const toldPoint = ({ commit, moment }: Point): string => `dies right ${moment} commit ${commit}`;

export interface CrashPointOptions {
  readonly program: Program;
  readonly scenarios: readonly Scenario[];
  readonly seed: number;
  /** Only the points of these numbers: twice the commit, and one less for the moment before it. */
  readonly numbers?: readonly number[] | undefined;
  readonly chains: number;
  readonly verify: Verify;
  readonly report: Report;
}

/** There is no such commit any more if so many have lived: how many share one is a matter of chance. */
const ENOUGH = 2;

/**
 * Runs every playbook as often as its process makes commits, and twice: it dies right before or right after one of them,
 * each in turn. Of every other point the next process dies, too, at one of its first commits.
 */
export async function crashAtEveryCommit(options: CrashPointOptions): Promise<void> {
  const { program, scenarios, seed, numbers, chains, verify, report } = options;
  for (const scenario of scenarios) {
    const stage = await setStage(program, scenario, verify);
    const expected = await stage.live('undisturbed', []);
    if (expected.problems.length > 0) throw new Error(`${scenario.name}: ${expected.problems.join('\n')}`);
    const remaining = (numbers ?? from(1))[Symbol.iterator]();
    let survivals = 0;
    const chain = async (): Promise<void> => {
      while (numbers !== undefined || survivals < ENOUGH) {
        const mine = remaining.next().value;
        if (mine === undefined) return;
        const points = pointsOf(seed, mine);
        const found = await stage.live(`point-${mine}`, points.map(diesAt));
        if (found.deaths === 0) survivals += 1;
        for (let death = 0; death < found.deaths; death++) report.died();
        report.ended({
          name: `${scenario.name}, point ${mine}`,
          ...found,
          problems: [...found.problems, ...outlineDifferences(expected.outline, found.outline)],
          plan: points.slice(0, found.deaths).map(toldPoint),
          again: `npm run chaos -- --points --only ${scenario.name} --seed ${seed} --case ${mine}`,
        });
      }
    };
    await Promise.all(Array.from({ length: chains }, chain));
  }
}

function* from(first: number): Generator<number, undefined> {
  for (let number = first; ; number++) yield number;
}

function pointsOf(seed: number, number: number): readonly Point[] {
  const first: Point = { commit: Math.ceil(number / 2), moment: number % 2 === 1 ? 'before' : 'after' };
  const chance = dice(chanceOf(seed, number));
  return chance.once(2) ? [first] : [first, { commit: chance.between(1, 8), moment: chance.pick(MOMENTS) }];
}

interface Stage {
  live(name: string, fates: readonly Fate[]): Promise<Lived>;
}

/** What is forked is made once; every fork has a copy of its folder. */
async function setStage(program: Program, scenario: Scenario, verify: Verify): Promise<Stage> {
  const { origin } = scenario;
  const name = (of: string): string => `${scenario.name}-${of}`;
  if (origin === undefined) {
    return { live: (of, fates) => lived({ program, scenario, name: name(of), fates, verify }) };
  }
  const first = await lived({ program, scenario, name: name('origin'), fates: [], verify });
  const history = await storedHistory(first.data);
  const [id = ''] = rootsOf(history);
  const seq = history.get(id)?.find(origin.at)?.seq;
  return {
    live: (of, fates) => {
      const data = join(program.folder, name(`${of}-data`));
      cpSync(first.data, data, { recursive: true });
      const begin = (url: string) => ['exec', 'fork', id, '--at', String(seq), '--set', `api_url=${url}`];
      return lived({ program, scenario, name: name(of), fates, verify, data, begin });
    },
  };
}
