import { chanceOf, dice } from '../../packages/noetl/src/simulation/dice.testing.ts';
import type { Program } from '../program.testing.ts';
import { outlineDifferences } from './agreement.ts';
import { type Kill, killedBy, randomKill, toldKill } from './kill.ts';
import { type Fate, lived } from './lives.ts';
import type { Report } from './report.ts';
import type { Scenario } from './scenario.ts';
import { createUndisturbed } from './undisturbed.ts';
import type { Verify } from './verification.ts';

/** An execution whose processes are killed again and again; from its number and the seed follows everything. */
interface KilledCase {
  readonly number: number;
  readonly scenario: Scenario;
  readonly kills: readonly Kill[];
}

/** Fewer than takeovers that work may have: 10 (ENG-13). */
const MOST_KILLS = 8;

export interface KillOptions {
  readonly program: Program;
  readonly scenarios: readonly Scenario[];
  readonly seed: number;
  /** How many processes must die. */
  readonly kills: number;
  /** How many are planned for an execution at least: with more of them, fewer come to an end. */
  readonly least: number;
  /** The command that repeats the case of a number. */
  readonly again: (number: number) => string;
  /** Only the case of this number. */
  readonly only?: number | undefined;
  /** Executions that are killed beside each other. */
  readonly chains: number;
  readonly verify: Verify;
  readonly report: Report;
}

/** Kills processes at random moments until so many have died, and says whether all executions came to the same end. */
export async function killAtRandom(options: KillOptions): Promise<void> {
  const { program, scenarios, seed, kills, least, again, only, chains, verify, report } = options;
  const undisturbed = createUndisturbed(program, verify);
  let next = only ?? 1;
  const more = (): boolean => (only === undefined ? report.deaths() < kills : next === only);
  const chain = async (): Promise<void> => {
    while (more()) {
      const chosen = caseOf(scenarios, seed, least, next++);
      const left = (): number => (only === undefined ? kills - report.deaths() : MOST_KILLS);
      const lively = await lived({
        program,
        scenario: chosen.scenario,
        name: `case-${chosen.number}`,
        verify,
        fates: fatesOf(chosen, left, report.died),
      });
      const expected = await undisturbed(chosen.scenario);
      report.ended({
        name: `case ${chosen.number}: ${chosen.scenario.name}`,
        ...lively,
        problems: [...lively.problems, ...outlineDifferences(expected.outline, lively.outline)],
        plan: chosen.kills.map(toldKill),
        again: again(chosen.number),
      });
    }
  };
  await Promise.all(Array.from({ length: only === undefined ? chains : 1 }, chain));
}

/** No more are killed than are asked for; the rest of the plan is left out then. */
function* fatesOf({ kills }: KilledCase, left: () => number, died: () => void): Iterable<Fate> {
  for (const kill of kills) {
    if (left() <= 0) return;
    yield killedBy(kill, died);
  }
}

function caseOf(scenarios: readonly Scenario[], seed: number, least: number, number: number): KilledCase {
  const chance = dice(chanceOf(seed, number));
  const scenario = scenarios[(number - 1) % scenarios.length] as Scenario;
  const count = chance.between(least, MOST_KILLS);
  // So that the last process still has something to do.
  return {
    number,
    scenario,
    kills: Array.from({ length: count }, () => randomKill(chance, Math.ceil((1.5 * scenario.span) / count))),
  };
}
