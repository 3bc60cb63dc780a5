import type { Control, Story } from './story.testing.ts';
import type { LoopSegment, Segment, Task, Workflow } from './workflow.testing.ts';

/** Stories with less in them, those with much less first. */
export function* simplerStories(story: Story): Generator<Story> {
  if (story.executions > 1) yield withExecutions(story, 1);
  for (const segments of withoutOne(story.workflow.segments)) yield { ...story, workflow: { segments } };
  for (const segments of withoutOne(story.child.segments)) yield { ...story, child: { segments } };
  for (const controls of fewerControls(story.controls)) yield { ...story, controls };
  if (story.remote !== undefined && story.slots > 0) yield { ...story, slots: 0 };
  if (story.processes > 1) yield { ...story, processes: story.processes - 1 };
  if (story.slots > 1) yield { ...story, slots: 1 };
  if (story.stays && story.remote === undefined) yield { ...story, stays: false };
  if (story.late) yield { ...story, late: false };
  if (!story.ordered) yield { ...story, ordered: true };
  if (story.eventsPerDecision < 500) yield { ...story, eventsPerDecision: 500 };
  for (const workflow of simplerWorkflows(story.workflow)) yield { ...story, workflow };
  for (const child of simplerWorkflows(story.child)) yield { ...story, child };
}

const withExecutions = (story: Story, executions: number): Story => ({
  ...story,
  executions,
  controls: story.controls.filter(({ execution }) => execution < executions),
});

/** A pause goes with the resume that lifts it: an execution that stays paused stands still for another reason. */
function* fewerControls(controls: readonly Control[]): Generator<readonly Control[]> {
  for (const [at, { input }] of controls.entries()) {
    if (input.kind !== 'resume') yield controls.toSpliced(at, input.kind === 'pause' ? 2 : 1);
  }
}

function* simplerWorkflows({ segments }: Workflow): Generator<Workflow> {
  for (const [at, segment] of segments.entries()) {
    for (const simpler of simplerSegments(segment)) yield { segments: segments.with(at, simpler) };
  }
}

function* simplerSegments(segment: Segment): Generator<Segment> {
  if (segment.kind === 'fork') {
    for (const branches of segment.branches.length > 2 ? withoutOne(segment.branches) : [])
      yield { ...segment, branches };
    for (const [at, branch] of segment.branches.entries()) {
      for (const tasks of simplerTasks(branch)) yield { ...segment, branches: segment.branches.with(at, tasks) };
    }
    return;
  }
  if (segment.kind === 'loop') yield* simplerLoops(segment);
  if (segment.kind === 'cycle' && segment.times > 1) yield { ...segment, times: 1 };
  if ('tasks' in segment) for (const tasks of simplerTasks(segment.tasks)) yield { ...segment, tasks };
}

function* simplerLoops(loop: LoopSegment): Generator<LoopSegment> {
  if (loop.inner > 0) yield { ...loop, inner: 0 };
  if (loop.items > 1) yield { ...loop, items: loop.items - 1 };
  if (loop.window > 1) yield { ...loop, window: loop.window - 1 };
  if (loop.writes !== 'nothing') yield { ...loop, writes: 'nothing' };
  if (loop.failing >= 0) yield { ...loop, failing: -1 };
  if (loop.mode === 'parallel') yield { ...loop, mode: 'sequential' };
}

function* simplerTasks(tasks: readonly Task[]): Generator<readonly Task[]> {
  if (tasks.length > 1) yield* withoutOne(tasks);
  for (const [at, task] of tasks.entries()) {
    for (const key of Object.keys(PLAIN) as (keyof Task)[]) {
      if (task[key] !== PLAIN[key]) yield tasks.with(at, { ...task, [key]: PLAIN[key] });
    }
  }
}

export const PLAIN: Task = {
  takes: 0,
  fails: 0,
  tries: 1,
  pause: 'short',
  pages: 1,
  bytes: 0,
  secret: false,
  writes: false,
  ends: 'continue',
};

export const withoutOne = <T>(list: readonly T[]): readonly (readonly T[])[] =>
  list.map((_, at) => list.toSpliced(at, 1));
