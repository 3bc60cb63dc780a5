import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { redactingLog } from './redacting-log.ts';
import { redactor } from './redactor.ts';

const SECRETS = [
  'hunter2-and-more',
  'pa$$ "word" with/\\ & <stuff>',
  'schlüssel€🔑',
  'a+b/c==',
  'line one of a key that is long\nline two of a key that is long\n',
  "it's (100%) *mine*!",
  "wJalrXUtn/K7M'ENG+bPx&Rf<i",
];
const encode = (value: string): readonly (readonly [string, string])[] => {
  const bytes = Buffer.from(value);
  return [
    ['as it is', value],
    ['base64', bytes.toString('base64')],
    ['base64url', bytes.toString('base64url')],
    ['base64 behind one byte', Buffer.from(`u${value}`).toString('base64')],
    ['base64 behind a user', Buffer.from(`ada:${value}x`).toString('base64')],
    ['base64 behind five bytes', Buffer.from(`12345${value}12`).toString('base64url')],
    ['percent', encodeURIComponent(value)],
    ['a form', new URLSearchParams({ v: value }).toString().slice(2)],
    ['lower percent', encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase())],
    ['JSON', JSON.stringify(value)],
    ['JSON in JSON', JSON.stringify(JSON.stringify({ v: value }))],
    ['the path of an address', pythonQuote(value)],
    ['JSON for HTML', JSON.stringify(value).replace(/[<>&']/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)],
    ['hex', bytes.toString('hex')],
    ['upper hex', bytes.toString('hex').toUpperCase()],
  ];
};

/** As Python's `quote` and the filter `urlencode` write it. */
const pythonQuote = (value: string): string =>
  encodeURIComponent(value)
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2F', '/');

describe('SEC-3: redaction', () => {
  it.each(SECRETS.flatMap((secret) => encode(secret).map(([how, text]) => [secret, how, text] as const)))(
    'finds %j, %s',
    (secret, _, text) => {
      const { text: redact, json } = redactor([{ name: 'key', value: secret }]);
      const mark = expect.stringContaining('[secret:key]');
      expect(redact(`before ${text} after`)).toEqual(mark);
      expect(json({ a: [`<${text}>`] })).toEqual({ a: [mark] });
    },
  );

  it('leaves nothing of a secret but its name', () => {
    const { text } = redactor([{ name: 'db.password', value: 'correct horse' }]);
    expect(text('postgres://ada:correct%20horse@host/db?x=correct horse')).toBe(
      'postgres://ada:[secret:db.password]@host/db?x=[secret:db.password]',
    );
  });

  it('prefers the longer of two secrets', () => {
    const { text } = redactor([
      { name: 'short', value: 'abcdef' },
      { name: 'long', value: 'abcdefghij' },
    ]);
    expect(text('abcdefghij abcdef')).toBe('[secret:long] [secret:short]');
  });

  it('finds a secret of digits inside of numbers, as in the text that they are written as', () => {
    const { json } = redactor([{ name: 'pin', value: '918273645' }]);
    expect(json([918273645, -918273645, 918273645.5, 91827364])).toEqual([
      '[secret:pin]',
      '-[secret:pin]',
      '[secret:pin].5',
      91827364,
    ]);
    expect(redactor([{ name: 'short', value: '1234' }]).json([1234, 12345])).toEqual(['[secret:short]', 12345]);
  });

  it('looks at keys and numbers, and copies only what it changes', () => {
    const { json } = redactor([{ name: 'pin', value: '12345678' }]);
    const clean = { a: [1, { b: 'x' }], c: null };
    expect(json(clean)).toBe(clean);
    expect(json({ k12345678: 12345678, clean })).toEqual({ 'k[secret:pin]': '[secret:pin]', clean });
  });

  it('finds a value under 6 characters only as a whole, and says so', () => {
    const { text, json, short } = redactor([{ name: 'pin', value: '1234' }]);
    expect(text('1234')).toBe('[secret:pin]');
    expect(text('in 12345')).toBe('in 12345');
    expect(json({ a: '1234', b: 1234, c: 'x1234' })).toEqual({ a: '[secret:pin]', b: '[secret:pin]', c: 'x1234' });
    expect(short).toEqual(['pin']);
  });

  it('finds the lines of a key of many lines, but not its borders', () => {
    const body = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC';
    const { text } = redactor([
      { name: 'pem', value: `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n` },
    ]);
    expect(text(`error near ${body}`)).toBe('error near [secret:pem]');
    expect(text('-----BEGIN PRIVATE KEY-----')).toBe('-----BEGIN PRIVATE KEY-----');
  });

  it('changes nothing and costs nothing without secrets', () => {
    const value = { a: 'x' };
    const none = redactor([{ name: 'empty', value: '' }]);
    expect(none.json(value)).toBe(value);
    expect(none.idle).toBe(true);
  });

  it('stays fast with many secrets', () => {
    const many = Array.from({ length: 20 }, (_, i) => ({ name: `s${i}`, value: randomBytes(24).toString('base64') }));
    const { text } = redactor(many);
    const megabyte = randomBytes(750_000).toString('base64');
    const began = performance.now();
    expect(text(megabyte)).toBe(megabyte);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

describe('SEC-3: texts that were cut', () => {
  const { text } = redactor([{ name: 'k', value: 'hunter2-and-more' }]);
  it.each([
    ['failed: hunter2-and…', 'failed: [secret:k]…'],
    ['failed: hunter2-and-mor… (etl.yaml:4)', 'failed: [secret:k]… (etl.yaml:4)'],
    [`${Buffer.from('hunter2-and-more').toString('base64').slice(0, 12)}…`, '[secret:k]…'],
    ['hunter2-and… hunter…', '[secret:k]… [secret:k]…'],
    ['[9 characters left out]\n…2-and-more\nnext', '[9 characters left out]\n…[secret:k]\nnext'],
    // So little tells nothing.
    ['…-more', '…-more'],
    ['a hunt… b', 'a hunt… b'],
    ['hunter2-and is no cut', 'hunter2-and is no cut'],
  ])('%s becomes %s', (given, hidden) => {
    expect(text(given)).toBe(hidden);
  });

  it('are looked through quickly, however often they were cut', () => {
    const source = 'a hunter and more … '.repeat(50_000);
    const began = performance.now();
    expect(text(source)).toBe(source);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});

describe('SEC-3: logs', () => {
  const collect = (pieces: readonly string[]) => {
    const lines: string[] = [];
    const log = redactingLog(
      () => redactor([{ name: 'k', value: 'hunter2-and-more' }]),
      (_, text) => lines.push(text),
    );
    for (const piece of pieces) log.write('stdout', piece);
    log.flush();
    return lines;
  };

  it('find a secret that arrives in pieces, however it is cut', () => {
    const text = 'a hunter2-and-more b hunter2 c hunter2-and-moreandmore';
    for (let cut = 0; cut <= text.length; cut++) {
      for (let next = cut; next <= text.length; next += 3) {
        const pieces = [text.slice(0, cut), text.slice(cut, next), text.slice(next)];
        expect(collect(pieces).join('')).toBe('a [secret:k] b hunter2 c [secret:k]andmore');
      }
    }
    expect(collect([...text]).join('')).toBe('a [secret:k] b hunter2 c [secret:k]andmore');
  });

  it('pass on at once what cannot be a secret', () => {
    expect(collect(['a line\n', 'hunt', 'ing\n'])).toEqual(['a line\n', 'hunting\n']);
  });

  it('hide what becomes a secret while they are written', () => {
    const lines: string[] = [];
    let current = redactor([]);
    const log = redactingLog(
      () => current,
      (_, text) => lines.push(text),
    );
    log.write('stdout', 'token-1 ');
    current = redactor([{ name: 'k', value: 'token-1' }]);
    log.write('stdout', 'token-1');
    log.flush();
    expect(lines.join('')).toBe('token-1 [secret:k]');
  });

  it('keep the streams apart', () => {
    const lines: string[] = [];
    const log = redactingLog(
      () => redactor([{ name: 'k', value: 'hunter2' }]),
      (stream, text) => lines.push(`${stream}:${text}`),
    );
    log.write('stdout', 'hun');
    log.write('stderr', 'ter2\n');
    log.flush();
    expect(lines).toEqual(['stderr:ter2\n', 'stdout:hun']);
  });
});
