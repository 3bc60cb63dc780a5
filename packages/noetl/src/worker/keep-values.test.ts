import { TAG } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryResults } from '../results/memory.ts';
import { redactingPieces } from '../secrets/redacting-pieces.ts';
import { redactor } from '../secrets/redactor.ts';
import { createKeep } from './keep-values.ts';

async function* inPieces<T>(...pieces: readonly T[]): AsyncGenerator<T> {
  yield* pieces;
}

function keeping(secret?: string, mostBytes?: number) {
  const results = createMemoryResults();
  const hiding = redactor(secret === undefined ? [] : [{ name: 'key', value: secret }]);
  const secrets = {
    keychain: {},
    redact: (value: Json) => hiding.json(value),
    ...(secret === undefined ? {} : { redacting: () => redactingPieces(() => hiding) }),
  };
  const keep = createKeep(results, secrets, mostBytes);
  const value = async (kept: ReturnType<typeof keep.text>): Promise<Json> => {
    const fetched = await results.get(await kept);
    if (fetched.kind !== 'value') throw new Error(fetched.kind);
    return fetched.value;
  };
  return { keep, value };
}

describe('values that tools keep apart (RES-1)', () => {
  it('are lists of what the batches hold, as JSON keeps it', async () => {
    const { keep, value } = keeping();
    const kept = keep.list(inPieces<readonly unknown[]>([1, { big: 2n ** 60n }], [], [{ [TAG]: 'reference' }, null]));
    expect(await value(kept)).toEqual([1, { big: '1152921504606846976' }, { $$noetl: 'reference' }, null]);
    expect((await kept).schema_hint).toBe('list[4]');
    expect(await value(keep.list(inPieces()))).toEqual([]);
  });

  it('have no secret in what the reference tells of them (SEC-3)', async () => {
    const secret = 'a-secret-that-is-longer-than-a-name-in-a-hint';
    const { keep } = keeping(secret);
    const kept = await keep.json(inPieces(`{"${secret}":1,"x${secret}":2}`));
    expect(kept.schema_hint).toBe('object{[secret:key],x[secret:key]}');
  });

  it('are texts, bytes and JSON, however they are cut', async () => {
    const { keep, value } = keeping();
    const cuts = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), cuts, async (text, lengths) => {
        const cut = async function* (): AsyncGenerator<string> {
          for (let at = 0, nth = 0; at < text.length; at += lengths[nth++ % lengths.length] ?? 1)
            yield text.slice(at, at + (lengths[nth % lengths.length] ?? 1));
        };
        expect(await value(keep.text(cut()))).toBe(text);
        const bytes = Buffer.from(text);
        const halves = [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)];
        expect(await value(keep.binary(inPieces(...halves)))).toBe(bytes.toString('base64'));
        const json = JSON.stringify({ [text]: [text, { [TAG]: 1 }] });
        expect(await value(keep.json(inPieces(json.slice(0, 5), json.slice(5))))).toEqual({
          [text === TAG ? '$$noetl' : text]: [text, { $$noetl: 1 }],
        });
      }),
      { numRuns: 200 },
    );
  });

  it('lose their secrets, also where one is cut in two (SEC-3)', async () => {
    const { keep, value } = keeping('tops3cret!');
    expect(await value(keep.text(inPieces('it is tops', '3cret!, and tops')))).toBe('it is [secret:key], and tops');
    expect(await value(keep.list(inPieces([{ a: 'tops3cret!' }])))).toEqual([{ a: '[secret:key]' }]);
    expect(await value(keep.json(inPieces('{"tops3c', 'ret!": ["x tops3cr\\u0065t!"]}')))).toEqual({
      '[secret:key]': ['x [secret:key]'],
    });
    const base64 = Buffer.from('tops3cret!').toString('base64');
    expect(await value(keep.binary(inPieces(Buffer.from('tops'), Buffer.from('3cret!'))))).not.toContain(
      base64.slice(0, 12),
    );
  });

  it('that are no JSON, or too large, are refused with a reason', async () => {
    const { keep } = keeping(undefined, 100);
    await expect(keep.json(inPieces('{"a":', '}'))).rejects.toMatchObject({ kind: 'result.json' });
    await expect(keep.list(inPieces([Number.NaN]))).rejects.toMatchObject({ kind: 'result.json' });
    const large = { kind: 'limit.result', message: expect.stringContaining('more than 100 bytes') };
    await expect(keep.text(inPieces('x'.repeat(60), 'y'.repeat(60)))).rejects.toMatchObject(large);
    await expect(keep.list(inPieces(['x'.repeat(60)], ['x'.repeat(60)]))).rejects.toMatchObject(large);
  });
});
