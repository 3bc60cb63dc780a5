/** Parts of a value that would give it away are long enough to be no chance. */
const LONG_LINE = 16;

/** A value in the forms it is likely to be seen in: as it is, and as programs write it into other texts. */
export function encodingsOf(value: string): ReadonlySet<string> {
  const parts = [value, value.trim(), ...linesOf(value)].filter((part) => part.length >= 6);
  return new Set(parts.flatMap(formsOf).filter((form) => form.length >= 6));
}

/** A key of many lines is often seen line by line; its borders are no secret. */
const linesOf = (value: string): readonly string[] =>
  value.includes('\n')
    ? value.split(/\r?\n/).filter((line) => line.length >= LONG_LINE && !line.startsWith('-----'))
    : [];

function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const json = JSON.stringify(value).slice(1, -1);
  const percent = percentForms(value);
  const base64 = [0, 1, 2].map((shift) => base64At(bytes, shift));
  const hex = bytes.toString('hex');
  return [
    value,
    json,
    json.replaceAll('/', '\\/'),
    asciiJson(json),
    htmlSafe(json),
    htmlSafe(asciiJson(json)),
    JSON.stringify(json).slice(1, -1),
    ...percent,
    ...percent.map(lowerPercent),
    htmlEscaped(value),
    // As Python writes it.
    htmlEscaped(value).replaceAll('&#39;', '&#x27;'),
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
    ...base64.map(percentEncoded),
    hex,
    hex.toUpperCase(),
  ];
}

const percentEncoded = (text: string): string => encodeURIComponent(wellFormed(text));
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD');
const lowerPercent = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());

/** As addresses, forms, and libraries that follow RFC 3986 to the letter write it. */
function percentForms(value: string): readonly string[] {
  const strict = percentEncoded(value).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return [
    percentEncoded(value),
    encodeURI(wellFormed(value)),
    new URLSearchParams({ v: value }).toString().slice('v='.length),
    // As what is written into an address by hand comes out of a library that takes the address apart.
    new URLSearchParams(`v=${value}`).toString().slice('v='.length),
    strict,
    strict.replaceAll('%20', '+'),
    // As paths are written, in Python and by the filter `urlencode`.
    strict.replaceAll('%2F', '/'),
    percentEncoded(value).replaceAll('%2F', '/'),
  ];
}

/** As Python writes JSON. */
const asciiJson = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** As `tojson` writes JSON that may stand in HTML. */
const htmlSafe = (json: string): string => json.replace(/[<>&']/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const htmlEscaped = (text: string): string => text.replace(/[&<>"']/g, (char) => HTML[char] ?? char);

/**
 * The characters of base64 that the value alone decides when so many other bytes stand before it, modulo 3: thus it is
 * found inside of something larger, such as `user:password`.
 */
function base64At(bytes: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString('base64')
    .replaceAll('=', '');
  const rest = (shift + bytes.length) % 3;
  return text.slice(shift === 0 ? 0 : shift + 1, rest === 0 ? undefined : -1);
}
