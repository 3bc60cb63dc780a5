import type { Dice } from './dice.testing.ts';
import type { LoopSegment, Segment, Task, Workflow } from './workflow.testing.ts';

/** Small workflows, in which everything that the engine can do meets sooner or later. */
export const randomWorkflow = (luck: Dice, most: number): Workflow => ({
  segments: Array.from({ length: luck.between(1, most) }, () => segment(luck, luck.roll(14))),
});

/** What is called calls nobody, and nobody sends it signals. */
export const randomChild = (luck: Dice, most: number): Workflow => ({
  segments: Array.from({ length: luck.between(1, most) }, () => alone(segment(luck, luck.roll(11)))),
});

function alone(given: Segment): Segment {
  if (given.kind === 'wait') return { ...given, for: 'delay' };
  return given.kind === 'loop' && given.body === 'signal' ? { ...given, body: 'delay' } : given;
}

function segment(luck: Dice, kind: number): Segment {
  const rescued = !luck.once(6);
  switch (kind) {
    case 0:
    case 1:
      return { kind: 'work', tasks: tasks(luck), rescued };
    case 2:
    case 3:
    case 4:
    case 5:
      return loop(luck, luck.once(12) ? 'delay' : luck.once(12) ? 'signal' : 'tasks', rescued);
    case 6:
      return {
        kind: 'fork',
        branches: branches(luck),
        join: luck.pick(['all', 'count']),
      };
    case 7:
      return { kind: 'choice', second: luck.once(2), tasks: sound(tasks(luck)) };
    case 8:
      return { kind: 'cycle', times: luck.between(1, 3), tasks: sound(tasks(luck)) };
    case 9:
      return { kind: 'wait', for: luck.pick(['signal', 'approval', 'delay']), signal: signalName(luck) };
    case 10:
      return luck.once(2) ? { kind: 'pass' } : { kind: 'overdue' };
    case 11:
    case 12:
      return { kind: 'call', waits: !luck.once(4), rescued };
    default:
      return loop(luck, 'child', rescued);
  }
}

function loop(luck: Dice, body: LoopSegment['body'], rescued: boolean): LoopSegment {
  const items = luck.pick([0, 1, 2, 3, 3, 4, 6]);
  return {
    kind: 'loop',
    mode: luck.pick(['sequential', 'parallel', 'parallel']),
    window: luck.between(1, 4),
    items,
    inner: luck.once(3) ? luck.between(1, 3) : 0,
    failure: luck.pick(['fail_fast', 'best_effort']),
    body,
    signal: signalName(luck),
    tasks: tasks(luck, 2),
    failing: luck.once(4) ? luck.roll(items + 1) : -1,
    writes: luck.pick(['nothing', 'shares', 'shares', 'the same', 'conflicts']),
    rescued,
  };
}

/** Now and then a branch fails, and so the execution, while others are under way for a while. */
function branches(luck: Dice): readonly (readonly Task[])[] {
  const list = Array.from({ length: luck.between(2, 3) }, () => sound(tasks(luck)));
  if (!luck.once(3)) return list;
  const [first, ...others] = list[1] ?? [];
  const failing = { ...task(luck), takes: 0, fails: 2, tries: 1 };
  const long = first === undefined ? [] : [{ ...first, takes: 5_000 }, ...others];
  return [[failing], long, ...list.slice(2)];
}

const signalName = (luck: Dice): string => `go-${luck.roll(1_000)}`;

const tasks = (luck: Dice, most = 3): readonly Task[] =>
  Array.from({ length: luck.between(1, most) }, () => task(luck));

function task(luck: Dice): Task {
  const fails = luck.once(3) ? luck.between(1, 2) : 0;
  const large = luck.once(16);
  return {
    takes: luck.pick([0, 0, 5, 20, 300, 1_500]),
    fails,
    tries: fails === 0 ? 1 : luck.once(5) ? fails : fails + 1,
    pause: luck.once(3) ? 'long' : 'short',
    pages: !large && luck.once(5) ? luck.between(2, 3) : 1,
    bytes: large ? 70_000 : 0,
    secret: luck.once(10),
    writes: luck.once(3),
    ends: luck.once(8) ? luck.pick(['break', 'skip']) : 'continue',
  };
}

/** Tasks that come to a good end. */
const sound = (list: readonly Task[]): readonly Task[] => list.map((task) => ({ ...task, tries: task.fails + 1 }));
