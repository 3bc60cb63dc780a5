import { describe, expect, it } from 'vitest';
import { readPayload, readSignalPayload } from './run-payload.ts';
import type { Terminal } from './terminal.ts';

const terminal = { read: async () => '{"a": {"b": 1, "c": 2}}' } as unknown as Terminal;

describe('the payload of a run', () => {
  it('is JSON, with settings over it, typed where they are JSON', async () => {
    expect(
      await readPayload('@file', ['a.b=5', 'city=Bern', 'flag=true', 'id=12345678901234567890'], terminal),
    ).toEqual({
      a: { b: 5, c: 2 },
      city: 'Bern',
      flag: true,
      id: '12345678901234567890',
    });
  });
  it.each(['nothing', '=1', 'a..b=1'])('refuses the setting %s', async (setting) => {
    await expect(readPayload(undefined, [setting], terminal)).rejects.toThrow(`--set ${setting}`);
  });
  it('refuses numbers that JSON cannot write back (TPL-8)', async () => {
    await expect(readPayload('{"n": [1e400]}', [], terminal)).rejects.toThrow('too large for JSON');
    await expect(readPayload(undefined, ['n=-1e999'], terminal)).rejects.toThrow('too large for JSON');
    await expect(readSignalPayload('1e400', terminal)).rejects.toThrow('too large for JSON');
  });
  it('refuses what is no object, and what is too large (SPEC §9)', async () => {
    await expect(readPayload('[1]', [], terminal)).rejects.toThrow('a payload is a JSON object');
    await expect(readPayload(JSON.stringify({ text: 'x'.repeat(5_000_000) }), [], terminal)).rejects.toThrow(
      'the limit is 4194304',
    );
  });
});
