import type { Program } from '../program.testing.ts';
import { type Lived, lived } from './lives.ts';
import type { Scenario } from './scenario.ts';
import type { Verify } from './verification.ts';

/** What a scenario comes to when nobody disturbs it; found out once. */
export function createUndisturbed(program: Program, verify: Verify): (scenario: Scenario) => Promise<Lived> {
  const known = new Map<string, Promise<Lived>>();
  return (scenario) => {
    const found = known.get(scenario.name) ?? calm(program, scenario, verify);
    known.set(scenario.name, found);
    return found;
  };
}

async function calm(program: Program, scenario: Scenario, verify: Verify): Promise<Lived> {
  const found = await lived({ program, scenario, name: `undisturbed-${scenario.name}`, verify, fates: [] });
  if (found.problems.length > 0)
    throw new Error(`${scenario.name} goes wrong undisturbed: ${found.problems.join('\n')}`);
  return found;
}
