import { valueFault } from '../template-error.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Map(Array.from(ALPHABET, (character, i) => [character, i]));

export function encodeBase64(bytes: readonly number[]): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const [a = 0, b, c] = bytes.slice(i, i + 3);
    const group = (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
    text += ALPHABET[group >> 18];
    text += ALPHABET[(group >> 12) & 63];
    text += b === undefined ? '=' : ALPHABET[(group >> 6) & 63];
    text += c === undefined ? '=' : ALPHABET[group & 63];
  }
  return text;
}

/** Accepts the URL-safe alphabet, line breaks and missing padding as well. */
export function decodeBase64(text: string): number[] {
  const clean = text
    .replace(/\s/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={1,2}$/, '');
  const bytes: number[] = [];
  let bits = 0;
  let pending = 0;
  for (const character of clean) {
    const value = VALUES.get(character);
    if (value === undefined) throw valueFault(`'${character}' is no character of base64.`);
    pending = ((pending << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((pending >> bits) & 255);
    }
  }
  if (clean.length % 4 === 1) throw valueFault('the base64 text is cut off.');
  return bytes;
}
