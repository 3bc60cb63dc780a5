import fc from 'fast-check';
import { pendingEffects } from '../execution/effects.ts';
import type { ExecutionEvent } from '../execution/event.ts';
import { fold } from '../execution/evolve.ts';
import { workKey } from '../execution/ids.ts';
import type { ControlInput } from '../execution/input.ts';
import { randomPlaybook } from '../execution/random-playbook.testing.ts';
import { failed, ok, planFrom, World } from '../execution/world.testing.ts';

/** Branches that work, wait and fail beside each other, which random workflows seldom do. */
const CROWDED = `
workflow:
  - step: start
    next: { spec: { mode: inclusive }, arcs: [{ step: plain }, { step: rows }, { step: signal }, { step: child }] }
  - step: plain
    tool: [{ one: { kind: noop } }, { two: { kind: noop } }]
  - step: rows
    loop:
      in: [1, 2, 3]
      iterator: x
      spec: { mode: parallel, max_in_flight: 2 }
      loop: { in: [1, 2], iterator: y, spec: { mode: parallel } }
    tool: [{ pause: { kind: wait, for: delay, seconds: 9 } }, { cell: { kind: noop } }]
  - step: signal
    tool: [{ go: { kind: wait, for: signal, name: go } }, { after: { kind: noop } }]
  - step: child
    tool: [{ other: { kind: playbook, path: other } }, { after: { kind: noop } }]
`;

/** Logs of random workflows, with pauses, failures, retries, sometimes a cancel, and forks from any event of such a log. */
export const randomLog: fc.Arbitrary<readonly ExecutionEvent[]> = fc
  .record({
    yaml: fc.oneof(randomPlaybook, fc.constant(CROWDED)),
    rolls: fc.array(fc.nat(), { minLength: 30, maxLength: 60 }),
    forked: fc.boolean(),
  })
  .map(({ yaml, rolls, forked }) => {
    const plan = planFrom(yaml, { stepRuns: 20, eventsPerDecision: 20 });
    const { log } = playOut(new World(plan).request(), rolls);
    if (!forked) return log;
    const state = fold(log.slice(0, 1 + ((rolls[0] ?? 0) % log.length)));
    const fork = new World(plan);
    const request = { path: 't', version: 1, content_hash: 'h', edits: {} };
    fork.decide({ kind: 'fork', execution_id: 'f', origin: { execution_id: 'e', state }, ...request });
    return playOut(fork, rolls).log;
  });

function playOut(world: World, rolls: readonly number[]): World {
  for (let turn = 0; world.state.phase !== 'processed'; turn++) {
    const roll = rolls[turn % rolls.length] ?? 0;
    const control = (kind: ControlInput['kind']): unknown => world.decide({ kind, reason: null, by: null });
    world.now += roll % 50;
    if (turn > 500 || (turn > 40 && roll % 29 === 0)) control('cancel');
    else if (roll % 11 === 0) control(world.state.paused ? 'resume' : 'pause');
    const works = pendingEffects(world.state).flatMap((effect) =>
      effect.kind === 'dispatch' ? [workKey(effect.work)] : [],
    );
    const work = works[roll % Math.max(1, works.length)];
    if (work !== undefined && roll % 7 !== 0) world.run(work, roll % 4 === 0 ? failed() : ok(roll % 5));
    else if (roll % 3 === 0 && answered(world)) continue;
    else if (!world.nextTimer() && work === undefined && world.state.paused) control('resume');
  }
  return world;
}

/** A child that was waited for is over, or a signal comes. */
function answered(world: World): boolean {
  if (world.state.listeners.go !== undefined) {
    world.decide({ kind: 'signal', name: 'go', payload: null, by: null });
    return true;
  }
  const [child] = world.children;
  if (child === undefined) return false;
  const [execution_id, work] = child;
  world.children.delete(execution_id);
  world.decide({ kind: 'child', work, execution_id, outcome: ok() });
  return true;
}
