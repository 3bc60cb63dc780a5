import { escapeHtml } from '../values/markup.ts';
import { words } from './python-text.ts';

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  euro: '€',
  pound: '£',
  yen: '¥',
  cent: '¢',
  sect: '§',
  para: '¶',
  deg: '°',
  times: '×',
  divide: '÷',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  eacute: 'é',
  egrave: 'è',
};

/** HTML without comments and tags, its entities resolved, runs of whitespace as one space. Linear in the text. */
export function stripTags(html: string): string {
  const text = withoutSpans(withoutSpans(html, '<!--', '-->'), '<', '>');
  return words(text)
    .join(' ')
    .replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w{2,8}));/g, entity);
}

function entity(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? whole) : whole;
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : '\ufffd';
}

function withoutSpans(text: string, open: string, close: string): string {
  let out = '';
  let at = 0;
  for (;;) {
    const start = text.indexOf(open, at);
    const end = start < 0 ? -1 : text.indexOf(close, start + open.length);
    if (end < 0) return out + text.slice(at);
    out += text.slice(at, start);
    at = end + close.length;
  }
}

export interface LinkOptions {
  readonly trimLimit: number | undefined;
  readonly rel: string;
  readonly target: string | undefined;
  readonly extraSchemes: readonly string[];
}

/** What Python's \w matches. */
const WORD = '\\p{L}\\p{N}_';
const DOMAIN =
  `(?:https?://|www\\.)(?:(?:[${WORD}%\\-]+\\.)+)?(?:[a-z]{2,63}|xn--[${WORD}%]{2,59})` +
  `|(?:[${WORD}%\\-]{2,63}\\.)+(?:com|net|int|edu|gov|org|info|mil)` +
  '|https?://(?:\\d{1,3}(?:\\.\\d{1,3}){3}|\\[(?:[\\da-f]{0,4}:){2}(?:[\\da-f]{0,4}:?){1,6}\\])';
const WEB_ADDRESS = new RegExp(`^(?:${DOMAIN})(?::\\d{1,5})?(?:[/?#]\\S*)?$`, 'iu');
const MAIL_ADDRESS = new RegExp(`^\\S+@[${WORD}][${WORD}.\\-]*\\.[${WORD}]+$`, 'u');
const PAIRS = [
  ['(', ')'],
  ['<', '>'],
  ['&lt;', '&gt;'],
] as const;

/** Turns web and mail addresses in escaped text into links. */
export function linkText(html: string, options: LinkOptions): string {
  return html
    .split(/(\s+)/)
    .map((word) => linkWord(word, options))
    .join('');
}

function linkWord(word: string, options: LinkOptions): string {
  const head = /^(?:[(<]|&lt;)+/.exec(word)?.[0] ?? '';
  let middle = word.slice(head.length);
  let tail = trailingPunctuation(middle);
  middle = middle.slice(0, middle.length - tail.length);
  // A closing bracket belongs to the address if the address opened it.
  for (const [open, close] of PAIRS) {
    const opened = occurrences(middle, open);
    if (opened <= occurrences(middle, close)) continue;
    for (let left = Math.min(opened, occurrences(tail, close)); left > 0; left--) {
      const end = tail.indexOf(close) + close.length;
      middle += tail.slice(0, end);
      tail = tail.slice(end);
    }
  }
  return head + linkAddress(middle, options) + tail;
}

const occurrences = (text: string, part: string): number => text.split(part).length - 1;

function trailingPunctuation(text: string): string {
  let start = text.length;
  for (;;) {
    if (start > 0 && ')>.,\n'.includes(text[start - 1] ?? ' ')) start--;
    else if (text.endsWith('&gt;', start)) start -= 4;
    else return text.slice(start);
  }
}

function linkAddress(address: string, options: LinkOptions): string {
  const rel = options.rel === '' ? '' : ` rel="${escapeHtml(options.rel)}"`;
  const target = options.target === undefined ? '' : ` target="${escapeHtml(options.target)}"`;
  const { trimLimit } = options;
  const shown = trimLimit !== undefined && address.length > trimLimit ? `${address.slice(0, trimLimit)}...` : address;
  if (WEB_ADDRESS.test(address)) {
    const href = /^https?:\/\//.test(address) ? address : `https://${address}`;
    return `<a href="${href}"${rel}${target}>${shown}</a>`;
  }
  if (address.startsWith('mailto:') && MAIL_ADDRESS.test(address.slice(7))) {
    return `<a href="${address}">${address.slice(7)}</a>`;
  }
  if (!address.startsWith('www.') && !address.includes(':') && MAIL_ADDRESS.test(address)) {
    return `<a href="mailto:${address}">${address}</a>`;
  }
  const scheme = options.extraSchemes.find((extra) => address !== extra && address.startsWith(extra));
  return scheme === undefined ? address : `<a href="${address}"${rel}${target}>${address}</a>`;
}
