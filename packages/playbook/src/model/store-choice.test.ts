import { describe, expect, it } from 'vitest';
import { chosenStore } from './store-choice.ts';

describe('RES-1: the store of results', () => {
  it.each([
    ['nothing', {}, undefined],
    ['a name', { result: { store: 'postgres' } }, 'postgres'],
    ['a kind', { result: { store: { kind: 'file' } } }, 'file'],
    ['a table', { result: { store: { kind: 'postgres', table: 'a.b' } } }, 'postgres/a.b'],
    ['a bucket', { result: { store: { kind: 'nats_object', bucket: 'b' } } }, 'nats_object/b'],
    ['what an outer layer said for another', { result: { store: { kind: 'nats_object', table: 'a' } } }, 'nats_object'],
  ])('is chosen by %s', (_what, spec, chosen) => {
    expect(chosenStore(spec)).toBe(chosen);
  });
});
