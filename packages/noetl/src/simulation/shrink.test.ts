import { expect, it } from 'vitest';
import { shrink } from './shrink.testing.ts';
import { createSimulation, type Outcome } from './simulate.testing.ts';
import { createSometimes } from './sometimes.testing.ts';
import { randomStory, type Story } from './story.testing.ts';
import { toldStory } from './told-story.testing.ts';
import { Violation } from './violation.testing.ts';

const simulate = createSimulation();

/** As if a crash right after a commit were wrong wherever there is a loop. */
async function touchy(story: Story): Promise<Outcome> {
  const outcome = await simulate(story, createSometimes());
  const loops = story.workflow.segments.some(({ kind }) => kind === 'loop');
  const crashed = outcome.ending.lines().some((line) => line.includes('dies after the commit'));
  const violation = loops && crashed ? new Violation('replay equals state', 'it does not') : undefined;
  return { ...outcome, violation };
}

it('a story that goes wrong is told in short: what matters is left, and little else', async () => {
  const seeds = Array.from({ length: 40 }, (_, index) => index + 1);
  for (const seed of seeds) {
    const story = randomStory(seed);
    const outcome = await touchy(story);
    if (outcome.violation === undefined || story.workflow.segments.length < 3) continue;
    const bad = await shrink({ story, outcome }, touchy);
    const { workflow, controls, faults } = bad.story;
    expect(workflow.segments.map(({ kind }) => kind)).toEqual(['loop']);
    const list = 'most' in faults ? [] : faults;
    expect(list.length).toBeLessThanOrEqual(2);
    expect(list.at(-1)).toMatchObject({ kind: 'crash after' });
    expect(controls.filter(({ input }) => input.kind !== 'signal')).toEqual([]);
    expect(toldStory(bad)).toMatch(/The playbook 'main'.*dies after the commit.*VIOLATION: replay equals state/s);
    return;
  }
  expect.fail('none of the stories is long enough');
}, 300_000);
