/** Why a text is not JSON: where, what was expected there and what was found. */
export interface JsonProblem {
  readonly offset: number;
  readonly expected: string;
  readonly found: string;
}

const TOKEN = new RegExp(
  [
    '[ \\t\\n\\r]*(?:',
    '(?<mark>[{}[\\]:,])',
    '|(?<string>"(?:[^"\\\\\\u0000-\\u001f]|\\\\(?:["\\\\/bfnrt]|u[\\da-fA-F]{4}))*")',
    '|(?<scalar>(?:-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null)(?![\\w.+-]))',
    '|(?<end>$)',
    '|(?<other>[\\w.+-]+|.))',
  ].join(''),
  'suy',
);

type Expectation = keyof typeof EXPECTATIONS;

/** What may come next: the tokens that do, and the words for it. */
const EXPECTATIONS = {
  value: { tokens: ['string', 'scalar', '[', '{'], words: 'a value' },
  'first item': { tokens: ['string', 'scalar', '[', '{', ']'], words: "a value or ']'" },
  'first key': { tokens: ['string', '}'], words: "a name in double quotes or '}'" },
  key: { tokens: ['string'], words: 'a name in double quotes' },
  colon: { tokens: [':'], words: "':'" },
  'after item': { tokens: [',', ']'], words: "',' or ']'" },
  'after member': { tokens: [',', '}'], words: "',' or '}'" },
  end: { tokens: ['end'], words: 'the end of the text' },
} as const;

/**
 * The first problem of a text that `JSON.parse` refuses, or undefined if it has none. Needed because the parser's own
 * message often lacks the place. Reads without recursion, so that nesting cannot exhaust the stack.
 */
export function findJsonProblem(source: string): JsonProblem | undefined {
  const open: string[] = [];
  let expectation: Expectation = 'value';
  TOKEN.lastIndex = 0;
  for (;;) {
    const groups = TOKEN.exec(source)?.groups ?? {};
    const kind = groups.mark ?? Object.keys(groups).find((name) => groups[name] !== undefined) ?? 'end';
    const { tokens, words } = EXPECTATIONS[expectation];
    if (!(tokens as readonly string[]).includes(kind)) {
      const found = groups[kind] ?? groups.mark ?? '';
      return { offset: TOKEN.lastIndex - found.length, expected: words, found: describe(kind, found) };
    }
    if (kind === 'end') return undefined;
    expectation = following(kind, expectation, open);
  }
}

function following(kind: string, expectation: Expectation, open: string[]): Expectation {
  switch (kind) {
    case '[':
      open.push(kind);
      return 'first item';
    case '{':
      open.push(kind);
      return 'first key';
    case ':':
      return 'value';
    case ',':
      return open.at(-1) === '[' ? 'value' : 'key';
    case ']':
    case '}':
      open.pop();
      break;
    case 'string':
      if (expectation === 'key' || expectation === 'first key') return 'colon';
  }
  const container = open.at(-1);
  return container === undefined ? 'end' : container === '[' ? 'after item' : 'after member';
}

function describe(kind: string, text: string): string {
  if (kind === 'end') return 'the end of the text';
  if (text === '"') return 'a string that never ends or holds a character that must be escaped';
  return text.length > 20 ? `${text.slice(0, 20)}…` : text;
}
