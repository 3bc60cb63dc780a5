import { describe, expect, it } from 'vitest';
import { elastic, fit, paint, tinted } from './line.ts';
import { duration, grouped, seconds, things } from './quantity.ts';
import { folded, widthOf } from './text-width.ts';
import { abridged, visible, visibleText } from './visible.ts';

describe('a line', () => {
  it('is measured in columns: wide characters take two, marks above letters none', () => {
    expect(['abc', 'ü', 'u\u0308', '日本', '🎉', '✓ ok'].map(widthOf)).toEqual([3, 1, 1, 4, 2, 4]);
  });

  it('is cut to the columns there are, with a sign', () => {
    const line = [tinted('bold', 'start'), ' 日本語'];
    expect(paint(fit(line, 12), false)).toBe('start 日本語');
    expect(paint(fit(line, 11), false)).toBe('start 日本…');
    expect(paint(fit(line, 10), false)).toBe('start 日…');
    expect(paint(fit(line, 4), true)).toBe('\u001b[1msta\u001b[0m…');
    expect(paint(fit(line, 0), false)).toBe('');
  });

  it('gives up the middle of what may be shortened before its end is cut', () => {
    const line = ['> ', elastic('bold', 'a_long_name_of_a_step'), ' in 10 s'];
    expect(paint(fit(line, 31), false)).toBe('> a_long_name_of_a_step in 10 s');
    expect(paint(fit(line, 20), false)).toBe('> a_lon…step in 10 s');
    expect(paint(fit(line, 13), false)).toBe('> a…p in 10 s');
    expect(paint(fit(line, 8), false)).toBe('> a…p i…');
  });

  it('is folded into few rows between words, and shortened in the middle if they are too few', () => {
    expect(folded('one two three', 20, 2)).toEqual(['one two three']);
    expect(folded('one two three', 8, 2)).toEqual(['one two', 'three']);
    expect(folded('one two three four five six seven', 10, 2)).toEqual(['one two', 't…ix seven']);
    expect(folded('https://example.org/a/long/path', 16, 2)).toEqual(['https://example.', 'org/a/long/path']);
  });
});

describe('quantities', () => {
  it('are written for people', () => {
    expect([0, 349.4, 999.6, 11_000, 59_960, 125_000, 3_720_000, 273_600_000].map(duration)).toEqual([
      '0 ms',
      '349 ms',
      '1.0 s',
      '11.0 s',
      '1 min 00 s',
      '2 min 05 s',
      '1 h 02 min',
      '3 d 04 h',
    ]);
    expect([-5, 999, 59_999, 60_000].map(seconds)).toEqual(['0 s', '0 s', '59 s', '1 min 00 s']);
    expect([7, 1234, 1_000_000].map(grouped)).toEqual(['7', '1,234', '1,000,000']);
    expect([things(1, 'retry', 'retries'), things(1000, 'step')]).toEqual(['1 retry', '1,000 steps']);
  });
});

describe('text of users', () => {
  it('cannot steer the terminal', () => {
    expect(visible('a\r\nb\tc\u001b[2J\u009b\u202e\u2028')).toBe('a⏎b c\ufffd[2J\ufffd\ufffd\ufffd');
    expect(visibleText('a\r\nb\tc\u0007\r')).toBe('a\nb\tc\ufffd\ufffd');
  });

  it('is abridged between characters', () => {
    expect(abridged('abcdef', 6)).toBe('abcdef');
    expect(abridged('abcdefg', 6)).toBe('abcde…');
    expect(abridged('abcd🎉fg', 6)).toBe('abcd…');
  });
});
