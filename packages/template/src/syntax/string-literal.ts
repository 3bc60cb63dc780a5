const SIMPLE: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const ESCAPE = /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/g;

/**
 * The text of a string literal without its quotes, with Python's escapes. `undefined` if an escape is malformed
 * (`\x4`, `\N{…}`), which Python refuses too.
 */
export function unescapeLiteral(raw: string): string | undefined {
  if (!raw.includes('\\')) return raw;
  let valid = true;
  const text = raw.replace(ESCAPE, (whole, octal, x, u, wide, other) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    if (x !== undefined) return String.fromCharCode(Number.parseInt(x, 16));
    if (u !== undefined) return String.fromCharCode(Number.parseInt(u, 16));
    if (wide !== undefined) {
      const codePoint = Number.parseInt(wide, 16);
      if (codePoint <= 0x10ffff) return String.fromCodePoint(codePoint);
      valid = false;
      return '';
    }
    if (Object.hasOwn(SIMPLE, other)) return SIMPLE[other] ?? '';
    if (other === 'x' || other === 'u' || other === 'U' || other === 'N') valid = false;
    return whole;
  });
  return valid ? text : undefined;
}
