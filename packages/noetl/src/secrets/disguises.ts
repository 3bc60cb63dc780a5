/**
 * A value as it looks when programs have written it into each other's texts, whatever they did: JSON in JSON, an address in
 * an address, HTML in either. All of that leaves letters and digits alone; so they are looked for, with something between
 * them where the value has something else.
 */
export interface Disguise {
  /** The source of a regular expression without groups. */
  readonly pattern: string;
  /** What it begins with. */
  readonly first: string;
  /** The most characters that it takes. */
  readonly longest: number;
}

/** One character becomes so many at most: `%25E2%2582%25AC`, `&amp;#x27;`. */
const WIDEST = 16;
/** Fewer letters and digits would be found by chance. */
const ENOUGH = 10;
/** What it begins with is looked for at every place of a text. */
const LONG_ENOUGH = 3;

/** Undefined if there is nothing in the value that could be disguised, or too little else. */
export function disguiseOf(value: string): Disguise | undefined {
  const parts = value.match(/[A-Za-z0-9]+|[^A-Za-z0-9]+/g) ?? [];
  const begin = parts.findIndex((part) => isPlain(part) && part.length >= LONG_ENOUGH);
  const end = parts.findLastIndex(isPlain);
  const core = begin === -1 ? [] : parts.slice(begin, end + 1);
  const first = core[0];
  if (first === undefined || core.length < 3 || core.filter(isPlain).join('').length < ENOUGH) return undefined;
  return {
    pattern: core.map((part) => (isPlain(part) ? part : anything(part))).join(''),
    first,
    longest: core.reduce((sum, part) => sum + (isPlain(part) ? part.length : [...part].length * WIDEST), 0),
  };
}

const isPlain = (part: string): boolean => /^[A-Za-z0-9]/.test(part);

/** Blanks stand between words: only a value that has some may stretch over them. */
const anything = (part: string): string => `${/\s/.test(part) ? '[^]' : '\\S'}{1,${[...part].length * WIDEST}}?`;

/** How many characters at the end of a text could be the beginning of something in disguise. */
export function pendingDisguise(text: string, { first, longest }: Disguise): number {
  const from = Math.max(0, text.length - longest + 1);
  const at = text.indexOf(first, from);
  if (at !== -1) return text.length - at;
  for (let length = Math.min(first.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(first.slice(0, length))) return length;
  }
  return 0;
}
