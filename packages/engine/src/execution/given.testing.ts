import { expect } from 'vitest';
import type { EngineLimits } from '../limits.ts';
import type { Outcome } from '../outcome.ts';
import type { Decision } from './decide.ts';
import type { Cause } from './input.ts';
import { planFrom, World } from './world.testing.ts';

/**
 * Given a workflow and what happened so far, when something happens, then these events follow:
 *
 *   given(yaml).when(ran('1', ok(5))).then('step.done(start)', 'next.evaluated(start)', …)
 *
 * What happens before `when` is part of what is given; every decision on the way is checked by `World`.
 */
export interface Given {
  /** Something that happened before. */
  and(happening: Happening): Given;
  when(happening: Happening): When;
}

interface When {
  /** Exactly these events, as `name` or `name(step)`. */
  then(...story: readonly string[]): When;
  /** An event among them has these fields in its payload. */
  thenEvent(name: string, payload: object): When;
  thenNothing(): When;
  thenRefused(code: string): When;
  readonly world: World;
}

type Happening = (world: World) => Decision | undefined;

/** The worker of the work runs tasks, one per outcome. */
export const ran =
  (work: string, ...outcomes: readonly Outcome[]): Happening =>
  (world) => {
    world.run(work, ...outcomes);
    return undefined;
  };

/** Anything else that decide answers. */
export const happened =
  (cause: Cause): Happening =>
  (world) =>
    world.decide(cause);

/** Time passes until the next timer is due. */
export const timePassed: Happening = (world) => {
  world.nextTimer();
  return undefined;
};

export function given(yaml: string, limits: Partial<EngineLimits> = {}): Given {
  const world = new World(planFrom(yaml, limits)).request();
  const given: Given = {
    and(happening) {
      happening(world);
      return given;
    },
    when: (happening) => whenIn(world, happening),
  };
  return given;
}

function whenIn(world: World, happening: Happening): When {
  const before = world.log.length;
  const decision = happening(world);
  const events = world.log.slice(before);
  const when: When = {
    world,
    then(...story) {
      expect(world.story.slice(before)).toEqual(story);
      return when;
    },
    thenEvent(name, payload) {
      const found = events.filter((event) => event.name === name).map((event) => event.payload);
      expect(found).toContainEqual(expect.objectContaining(payload));
      return when;
    },
    thenNothing() {
      expect(events).toEqual([]);
      return when;
    },
    thenRefused(code) {
      expect(decision).toMatchObject({ kind: 'refused', code });
      return when;
    },
  };
  return when;
}
