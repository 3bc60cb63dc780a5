import { describe, expect, it } from 'vitest';
import { masterKey, newMasterKey, reseal, seal, unseal } from './envelope.ts';

const about = { name: 'api', kind: 'bearer', fields: ['token'], setAt: 5 };
const VALUE = { token: 'tok-äß-12345' };

describe('SEC-2: a sealed credential', () => {
  const key = newMasterKey();
  const sealed = seal(about, VALUE, key);

  it('opens with its key, and shows nothing of its value', () => {
    expect(unseal(sealed, key)).toEqual(VALUE);
    expect(unseal(seal(about, 'just a text', key), key)).toBe('just a text');
    for (const part of sealed.sealed.split(' ')) {
      expect(part).not.toContain('tok-');
      expect(Buffer.from(part, 'base64').toString('latin1')).not.toContain('tok-');
    }
  });

  it('is never sealed the same twice: every entry has a key of its own', () => {
    const [one, other] = [sealed, seal(about, VALUE, key)].map((entry) => entry.sealed.split(' '));
    expect(one?.[1]).toBe(other?.[1]);
    expect(one?.[2]).not.toBe(other?.[2]);
    expect(one?.[3]).not.toBe(other?.[3]);
  });

  it.each([
    ['another name', { name: 'other' }],
    ['another kind', { kind: 'secret' }],
    ['other fields', { fields: ['token', 'header'] }],
  ])('does not open under %s', (_, change) => {
    expect(unseal({ ...sealed, ...change }, key)).toBeUndefined();
    expect(reseal({ ...sealed, ...change }, key, newMasterKey())).toBeUndefined();
  });

  it('does not open with the value or the key of another entry', () => {
    const [form, id, own, value] = sealed.sealed.split(' ');
    const [, , otherOwn, otherValue] = seal({ ...about, name: 'other' }, VALUE, key).sealed.split(' ');
    for (const mixed of [
      [form, id, own, otherValue],
      [form, id, otherOwn, value],
      [form, id, otherOwn, otherValue],
    ]) {
      expect(unseal({ ...sealed, sealed: mixed.join(' ') }, key)).toBeUndefined();
    }
  });

  it('does not open with another key, nor when a single bit is changed', () => {
    expect(unseal(sealed, newMasterKey())).toBeUndefined();
    expect(unseal(sealed, { ...newMasterKey(), id: key.id })).toBeUndefined();
    const [form, id, own = '', value = ''] = sealed.sealed.split(' ');
    const flipped = (text: string, at: number) => {
      const bytes = Buffer.from(text, 'base64');
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return bytes.toString('base64');
    };
    for (const at of Buffer.from(own, 'base64').keys()) {
      expect(unseal({ ...sealed, sealed: [form, id, flipped(own, at), value].join(' ') }, key)).toBeUndefined();
    }
    for (const at of Buffer.from(value, 'base64').keys()) {
      expect(unseal({ ...sealed, sealed: [form, id, own, flipped(value, at)].join(' ') }, key)).toBeUndefined();
    }
  });

  it.each(['', 'x', 'noetl-sealed-1', 'noetl-sealed-1 a b', 'noetl-sealed-2 a b c', 'noetl-sealed-1 a b c d'])(
    'is none if it is %j',
    (text) => {
      expect(unseal({ ...sealed, sealed: text }, key)).toBeUndefined();
      expect(unseal({ ...sealed, sealed: text.replace(' a ', ` ${key.id} `) }, key)).toBeUndefined();
    },
  );

  it('goes under another key with the value untouched', () => {
    const next = newMasterKey();
    const again = reseal(sealed, key, next);
    expect(again && unseal(again, next)).toEqual(VALUE);
    expect(again && unseal(again, key)).toBeUndefined();
    expect(again?.sealed.split(' ')[3]).toBe(sealed.sealed.split(' ')[3]);
    expect(reseal(sealed, next, key)).toBeUndefined();
  });

  it('knows keys by names that tell nothing about them', () => {
    const { id } = masterKey(new Uint8Array(32));
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(masterKey(new Uint8Array(32)).id).toBe(id);
    expect(newMasterKey().id).not.toBe(id);
  });
});
