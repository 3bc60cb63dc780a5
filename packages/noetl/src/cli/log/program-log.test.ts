import { describe, expect, it } from 'vitest';
import { createProgramLog, type LogOptions } from './program-log.ts';

const AT = Date.parse('2026-01-02T03:04:05.006Z');

function written(logFormat: LogOptions['logFormat'], logLevel: LogOptions['logLevel'] = 'info') {
  let text = '';
  const complain = (more: string): void => {
    text += more;
  };
  return { log: createProgramLog({ logFormat, logLevel }, { complain, now: () => AT }), text: () => text };
}

describe('the log of a program that stays', () => {
  it('writes an entry as a line of JSON', () => {
    const { log, text } = written('json');
    log.write('info', 'step done', { execution: 'x', step: 'a\nb', parent: undefined, attempt: 2 });
    expect(text()).toBe(
      '{"time":"2026-01-02T03:04:05.006Z","level":"info","message":"step done","execution":"x","step":"a\\nb","attempt":2}\n',
    );
  });

  it('writes an entry as a line of text that no name can end or pretend to be', () => {
    const { log, text } = written('text');
    log.write('warn', 'step failed', { execution: 'x:1', step: 'a\nb c=d', parent: undefined });
    expect(text()).toBe('2026-01-02T03:04:05.006Z warn step failed execution=x:1 step="a\\nb c=d"\n');
  });

  it.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
  ] as const)('writes nothing below the level %s', (level, expected) => {
    const { log, text } = written('json', level);
    for (const some of ['debug', 'info', 'warn', 'error'] as const) log.write(some, 'm');
    const levels = text().trimEnd().split('\n');
    expect(levels.map((line) => JSON.parse(line).level)).toEqual(expected);
  });

  it('leaves what is said to a person as it is in text, and makes an entry of it in JSON', () => {
    const said = ['listening on x\n', 'error: one\ntwo\n', 'warning: w\n', 'waiting: away\n'];
    const asText = written('text');
    const asJson = written('json');
    for (const text of said) {
      asText.log.complain(text);
      asJson.log.complain(text);
    }
    expect(asText.text()).toBe(said.join(''));
    const entries = asJson.text().trimEnd().split('\n');
    expect(entries.map((line) => JSON.parse(line)).map(({ level, message }) => [level, message])).toEqual([
      ['info', 'listening on x'],
      ['error', 'one\ntwo'],
      ['warn', 'w'],
      ['warn', 'away'],
    ]);
  });

  it('says nothing to a person that is below the level', () => {
    const { log, text } = written('text', 'warn');
    log.complain('listening on x\n');
    log.complain('error: no\n');
    expect(text()).toBe('error: no\n');
  });
});
