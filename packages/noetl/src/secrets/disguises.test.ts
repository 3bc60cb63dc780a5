import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactingPieces } from './redacting-pieces.ts';
import { redactor } from './redactor.ts';

const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const ascii = (text: string): string =>
  json(text).replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
const html = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => `&#${char === '&' ? 'x26' : char.charCodeAt(0)};`);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const WRITERS = [json, ascii, html, encodeURIComponent, encodeURI];

const VALUES = [
  'hunter2-and/more+of=it',
  'tok "quoted" 12345678',
  "it's-a-longer-value-1",
  'pässwörd-of-the-€-1',
  'a1b2c3d4&e5f6g7<h8>',
];

describe('SEC-3: a secret that was written into other texts more than once', () => {
  it.each(VALUES)('is found: %s', (value) => {
    const { text } = redactor([{ name: 'k', value }]);
    for (const first of WRITERS) {
      for (const second of WRITERS) {
        const written = second(first(value));
        const hidden = text(`x="${written}" y`);
        expect(hidden, written).toContain('[secret:k]');
        // What may be left of it are signs at its ends, and what begins too shortly to be looked for.
        const longest = (value.match(/[A-Za-z0-9]+/g) ?? []).reduce((a, b) => (b.length > a.length ? b : a));
        expect(hidden).not.toContain(longest);
      }
    }
  });

  it('is found in base64 that was written into an address', () => {
    const value = 'ab?>cd~~ef??gh>>1234567';
    expect(base64(value)).toMatch(/[+/]/);
    const { text } = redactor([{ name: 'k', value }]);
    expect(text(encodeURIComponent(encodeURIComponent(base64(value))))).toContain('[secret:k]');
  });

  it('is found however the text is cut', () => {
    const value = 'hunter2-and/more+of=it';
    const current = redactor([{ name: 'k', value }]);
    const whole = `before ${encodeURIComponent(json(encodeURIComponent(value)))} hunter2 after`;
    fc.assert(
      fc.property(fc.array(fc.nat({ max: whole.length }), { maxLength: 6 }), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
        const pieces = redactingPieces(() => current);
        const taken = places.slice(1).map((end, nth) => pieces.take(whole.slice(places[nth], end)));
        expect([...taken, pieces.end()].join('')).toBe('before [secret:k] hunter2 after');
      }),
    );
  });

  it('does not swallow the words between two beginnings', () => {
    const { text } = redactor([{ name: 'k', value: 'hunter2-and-more' }]);
    expect(text('hunter2 and then hunter2-and-more')).toBe('hunter2 and then [secret:k]');
  });

  it.each(['a-b-c-d-e-f-g-h-i-j-k-l', 'abcdef', '--------------', 'ab-cd'])('has no disguise if it is %s', (value) => {
    const { text } = redactor([{ name: 'k', value }]);
    expect(text(value)).toBe('[secret:k]');
    expect(text('a quick brown fox jumps over a lazy dog')).toBe('a quick brown fox jumps over a lazy dog');
  });

  it('costs little where it is not', () => {
    const many = Array.from({ length: 50 }, (_, nth) => ({
      name: `k${nth}`,
      value: `sec${nth}-ret/of+many=${nth}-words`,
    }));
    const { text } = redactor(many);
    const log = 'a line of a log with sec and secret words-of/many=kinds in it\n'.repeat(16_000);
    const began = performance.now();
    expect(text(log)).toBe(log);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
