import { describe, expect, it } from 'vitest';
import { paint } from './line.ts';
import { sourceExcerpt } from './source-excerpt.ts';

describe('the line of a file that something is about', () => {
  const excerpt = (text: string, line: number, column: number) =>
    sourceExcerpt(text, { line, column }).map((part) => paint(part, false));

  it('has a caret below the place', () => {
    expect(excerpt('a: 1\r\nb: 2\r\n', 2, 4)).toEqual(['2 | b: 2', '  |    ^']);
    expect(excerpt('a: 1\n', 7, 1)).toEqual([]);
  });

  it('is shown whole as long as it fits, and else around the place, with signs for what is missing', () => {
    const whole = `${'x'.repeat(100)}!`;
    expect(excerpt(whole, 1, 101)).toEqual([`1 | ${whole}`, `  | ${' '.repeat(100)}^`]);
    const long = `${'x'.repeat(100)}!${'y'.repeat(200)}`;
    expect(excerpt(long, 1, 101)).toEqual([`1 | …${'x'.repeat(59)}!${'y'.repeat(58)}…`, `  | ${' '.repeat(60)}^`]);
    expect(excerpt(long, 1, 2)).toEqual([`1 | ${'x'.repeat(100)}!${'y'.repeat(18)}…`, '  |  ^']);
  });

  it('survives a place that the file does not have', () => {
    expect(excerpt('a: 1\n', 1, 1e9)[1]).toBe(`  | ${' '.repeat(120)}^`);
  });
});
