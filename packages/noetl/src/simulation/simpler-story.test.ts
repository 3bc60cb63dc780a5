import { expect, it } from 'vitest';
import { simplerStories } from './simpler-story.testing.ts';
import { randomStory } from './story.testing.ts';

it('a shorter story never leaves an execution paused that the longer one resumes', () => {
  const stories = Array.from({ length: 200 }, (_, index) => randomStory(index + 1));
  const paused = stories.filter(({ controls }) => controls.some(({ input }) => input.kind === 'pause'));
  expect(paused.length).toBeGreaterThan(10);
  for (const { controls } of paused.flatMap((story) => [...simplerStories(story)])) {
    const times = (kind: string): number => controls.filter(({ input }) => input.kind === kind).length;
    expect(times('pause')).toBe(times('resume'));
  }
});
