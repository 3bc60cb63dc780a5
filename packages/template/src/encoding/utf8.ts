import { valueFault } from '../template-error.ts';

export function encodeUtf8(text: string): number[] {
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
    else if (code >= 0xd800 && code <= 0xdfff)
      throw valueFault('the text contains half of a character (a lone surrogate).');
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    else bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
  }
  return bytes;
}

/** The text of UTF-8 bytes; an error if they are not UTF-8. */
export function decodeUtf8(bytes: readonly number[]): string {
  const characters: string[] = [];
  for (let i = 0; i < bytes.length; ) {
    const first = bytes[i] ?? 0;
    const extra =
      first < 0x80
        ? 0
        : first >= 0xc2 && first < 0xe0
          ? 1
          : first >= 0xe0 && first < 0xf0
            ? 2
            : first >= 0xf0 && first < 0xf5
              ? 3
              : -1;
    let code = extra === 0 ? first : first & (0x3f >> extra);
    for (let j = 1; j <= extra; j++) {
      const next = bytes[i + j] ?? 0;
      if ((next & 0xc0) !== 0x80) throw notUtf8();
      code = (code << 6) | (next & 63);
    }
    const shortest = extra === 2 ? 0x800 : extra === 3 ? 0x10000 : 0;
    if (extra < 0 || code < shortest || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw notUtf8();
    characters.push(String.fromCodePoint(code));
    i += extra + 1;
  }
  return characters.join('');
}

const notUtf8 = () => valueFault('the bytes are not UTF-8 text.', 'Binary data is for tasks, not for templates.');
