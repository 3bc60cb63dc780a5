import { floatValue } from '../values/float.ts';
import { parseInteger } from '../values/integer.ts';
import type { Arguments, BinaryOperator, Call, CompareOperator, Expression, Filter, NamedArgument } from './ast.ts';
import { describeToken } from './token.ts';
import type { TokenStream } from './token-stream.ts';

const NO_ARGUMENTS: Arguments = { positional: [], named: [], rest: undefined, more: undefined };
const OR: ReadonlySet<string> = new Set(['or']);
const AND: ReadonlySet<string> = new Set(['and']);
const SUM: ReadonlySet<string> = new Set(['+', '-']);
const PRODUCT: ReadonlySet<string> = new Set(['*', '/', '//', '%']);
const POWER: ReadonlySet<string> = new Set(['**']);
const COMPARE_OPERATORS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);
const CONSTANTS: Readonly<Record<string, unknown>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
};

/** An expression; `a, b` makes a tuple. Ends where no operator continues it. */
export function parseTuple(
  tokens: TokenStream,
  options: { withCondition?: boolean; explicitParentheses?: boolean } = {},
): Expression {
  const at = tokens.current.at;
  const parseItem = options.withCondition === false ? parseOr : parseExpression;
  const items: Expression[] = [];
  if (!isTupleEnd(tokens)) {
    const first = parseItem(tokens);
    if (!tokens.isOperator(',')) return first;
    items.push(first);
    while (tokens.skip('operator', ',') && !isTupleEnd(tokens)) items.push(parseItem(tokens));
  } else if (options.explicitParentheses !== true) {
    // `()` is the empty tuple; an empty `{{ }}` is a mistake.
    throw tokens.error(`expected an expression, found ${describeToken(tokens.current)}.`);
  }
  return { kind: 'tuple', at, end: tokens.lastEnd, items };
}

function isTupleEnd(tokens: TokenStream): boolean {
  return tokens.is('output-end') || tokens.is('block-end') || tokens.isOperator(')');
}

export function parseExpression(tokens: TokenStream): Expression {
  return tokens.nested(() => parseConditional(tokens));
}

function parseConditional(tokens: TokenStream): Expression {
  const at = tokens.current.at;
  let then = parseOr(tokens);
  let links = 0;
  while (tokens.skip('name', 'if')) {
    tokens.checkLength(++links);
    const test = parseOr(tokens);
    const otherwise = tokens.skip('name', 'else') ? parseExpression(tokens) : undefined;
    then = { kind: 'conditional', at, end: tokens.lastEnd, test, then, otherwise };
  }
  return then;
}

function parseOr(tokens: TokenStream): Expression {
  return parseChain(tokens, parseAnd, 'name', OR);
}

function parseAnd(tokens: TokenStream): Expression {
  return parseChain(tokens, parseNot, 'name', AND);
}

function parseNot(tokens: TokenStream): Expression {
  if (!tokens.isName('not')) return parseCompare(tokens);
  const at = tokens.next().at;
  const operand = tokens.nested(() => parseNot(tokens));
  return { kind: 'unary', at, end: tokens.lastEnd, operator: 'not', operand };
}

function parseCompare(tokens: TokenStream): Expression {
  const at = tokens.current.at;
  const first = parseSum(tokens);
  let operator = compareOperator(tokens);
  if (operator === undefined) return first;
  const rest: { operator: CompareOperator; operand: Expression }[] = [];
  for (; operator !== undefined; operator = compareOperator(tokens)) rest.push({ operator, operand: parseSum(tokens) });
  return { kind: 'compare', at, end: tokens.lastEnd, first, rest };
}

/** Takes a comparison operator if one stands here. */
function compareOperator(tokens: TokenStream): CompareOperator | undefined {
  const { current } = tokens;
  if (current.kind === 'operator' && COMPARE_OPERATORS.has(current.text)) {
    tokens.next();
    return current.text as CompareOperator;
  }
  if (tokens.skip('name', 'in')) return 'in';
  if (tokens.isName('not') && tokens.peek().kind === 'name' && tokens.peek().text === 'in') {
    tokens.next();
    tokens.next();
    return 'not in';
  }
  return undefined;
}

function parseSum(tokens: TokenStream): Expression {
  return parseChain(tokens, parseConcat, 'operator', SUM);
}

function parseConcat(tokens: TokenStream): Expression {
  const at = tokens.current.at;
  const first = parseProduct(tokens);
  if (!tokens.isOperator('~')) return first;
  const parts = [first];
  while (tokens.skip('operator', '~')) parts.push(parseProduct(tokens));
  return { kind: 'concat', at, end: tokens.lastEnd, parts };
}

function parseProduct(tokens: TokenStream): Expression {
  return parseChain(tokens, parsePower, 'operator', PRODUCT);
}

// Jinja's `**` is left-associative, unlike Python's: 2 ** 3 ** 2 is 64.
function parsePower(tokens: TokenStream): Expression {
  return parseChain(tokens, parseUnary, 'operator', POWER);
}

function parseChain(
  tokens: TokenStream,
  parseOperand: (tokens: TokenStream) => Expression,
  kind: 'name' | 'operator',
  operators: ReadonlySet<string>,
): Expression {
  const at = tokens.current.at;
  let left = parseOperand(tokens);
  for (let links = 1; ; links++) {
    const { current } = tokens;
    if (current.kind !== kind || !operators.has(current.text)) return left;
    tokens.checkLength(links);
    tokens.next();
    const right = parseOperand(tokens);
    left = { kind: 'binary', at, end: tokens.lastEnd, operator: current.text as BinaryOperator, left, right };
  }
}

/** A sign binds closer than a filter: `-1 | abs` is `(-1) | abs`. */
function parseUnary(tokens: TokenStream): Expression {
  return parseFilters(tokens, parseSigned(tokens));
}

function parseSigned(tokens: TokenStream): Expression {
  const at = tokens.current.at;
  const operator = tokens.isOperator('-') ? '-' : tokens.isOperator('+') ? '+' : undefined;
  if (operator === undefined) return parsePostfix(tokens, parsePrimary(tokens));
  tokens.next();
  const operand = tokens.nested(() => parseSigned(tokens));
  return parsePostfix(tokens, { kind: 'unary', at, end: tokens.lastEnd, operator, operand });
}

function parsePrimary(tokens: TokenStream): Expression {
  const token = tokens.current;
  const { at } = token;
  switch (token.kind) {
    case 'name':
      tokens.next();
      if (Object.hasOwn(CONSTANTS, token.text)) {
        return { kind: 'literal', at, end: token.end, value: CONSTANTS[token.text] };
      }
      return { kind: 'name', at, end: token.end, name: token.text };
    case 'string': {
      let value = tokens.next().text;
      while (tokens.is('string')) value += tokens.next().text;
      return { kind: 'literal', at, end: tokens.lastEnd, value };
    }
    case 'integer':
      tokens.next();
      return { kind: 'literal', at, end: token.end, value: parseInteger(token.text) };
    case 'float':
      tokens.next();
      return { kind: 'literal', at, end: token.end, value: floatValue(Number(token.text)) };
    case 'operator':
      if (token.text === '(') return parseParenthesized(tokens);
      if (token.text === '[') return parseList(tokens);
      if (token.text === '{') return parseDict(tokens);
      throw tokens.error(`expected an expression, found ${describeToken(token)}.`);
    default:
      throw tokens.error(`expected an expression, found ${describeToken(token)}.`);
  }
}

function parseParenthesized(tokens: TokenStream): Expression {
  return tokens.nested(() => {
    tokens.expectOperator('(');
    const inner = parseTuple(tokens, { explicitParentheses: true });
    tokens.expectOperator(')');
    return inner;
  });
}

function parseList(tokens: TokenStream): Expression {
  const { at } = tokens.expectOperator('[');
  const items: Expression[] = [];
  while (!tokens.isOperator(']')) {
    if (items.length > 0) tokens.expectOperator(',');
    if (tokens.isOperator(']')) break;
    items.push(parseExpression(tokens));
  }
  tokens.expectOperator(']');
  return { kind: 'list', at, end: tokens.lastEnd, items };
}

function parseDict(tokens: TokenStream): Expression {
  const { at } = tokens.expectOperator('{');
  const entries: { key: Expression; value: Expression }[] = [];
  while (!tokens.isOperator('}')) {
    if (entries.length > 0) tokens.expectOperator(',');
    if (tokens.isOperator('}')) break;
    const key = parseExpression(tokens);
    tokens.expectOperator(':');
    entries.push({ key, value: parseExpression(tokens) });
  }
  tokens.expectOperator('}');
  return { kind: 'dict', at, end: tokens.lastEnd, entries };
}

function parsePostfix(tokens: TokenStream, start: Expression): Expression {
  let node = start;
  for (let links = 1; ; links++) {
    if (tokens.isOperator('.') || tokens.isOperator('[')) node = parseAccess(tokens, node);
    else if (tokens.isOperator('(')) node = parseCall(tokens, node);
    else return node;
    tokens.checkLength(links);
  }
}

function parseFilters(tokens: TokenStream, start: Expression): Expression {
  let node = start;
  for (let links = 1; ; links++) {
    if (tokens.skip('operator', '|')) node = parseFilter(tokens, node);
    else if (tokens.isName('is')) node = parseTest(tokens, node);
    // A call may follow a filter: `x | attr('f')()`.
    else if (tokens.isOperator('(')) node = parseCall(tokens, node);
    else return node;
    tokens.checkLength(links);
  }
}

function parseAccess(tokens: TokenStream, object: Expression): Expression {
  const opener = tokens.next();
  if (opener.text === '.') {
    const token = tokens.next();
    if (token.kind === 'name') return { kind: 'attribute', at: object.at, end: token.end, object, name: token.text };
    if (token.kind === 'integer') {
      const key: Expression = {
        kind: 'literal',
        at: token.at,
        end: token.end,
        value: parseInteger(token.text),
      };
      return { kind: 'item', at: object.at, end: token.end, object, key };
    }
    throw tokens.error(`expected a name or a number after '.', found ${describeToken(token)}.`, { at: token.at });
  }
  // As in Jinja, `x[]` asks for the empty tuple.
  const subscripts = tokens.isOperator(']') ? [] : [parseSubscript(tokens, object)];
  while (tokens.skip('operator', ',')) subscripts.push(parseSubscript(tokens, object));
  tokens.expectOperator(']');
  const only = subscripts[0];
  if (subscripts.length === 1 && only !== undefined) return { ...only, end: tokens.lastEnd } as Expression;
  const items = subscripts.map((subscript) => {
    if (subscript.kind === 'item') return subscript.key;
    throw tokens.error('a slice cannot stand beside other subscripts.', { at: subscript.at });
  });
  const key: Expression = { kind: 'tuple', at: opener.at, end: tokens.lastEnd, items };
  return { kind: 'item', at: object.at, end: tokens.lastEnd, object, key };
}

function parseSubscript(tokens: TokenStream, object: Expression): Extract<Expression, { kind: 'item' | 'slice' }> {
  const { at } = object;
  let start: Expression | undefined;
  if (!tokens.isOperator(':')) {
    const key = parseExpression(tokens);
    if (!tokens.isOperator(':')) return { kind: 'item', at, end: tokens.lastEnd, object, key };
    start = key;
  }
  tokens.expectOperator(':');
  const bound = () =>
    tokens.isOperator(']') || tokens.isOperator(',') || tokens.isOperator(':') ? undefined : parseExpression(tokens);
  const stop = bound();
  const step = tokens.skip('operator', ':') ? bound() : undefined;
  return { kind: 'slice', at, end: tokens.lastEnd, object, start, stop, step };
}

function parseCall(tokens: TokenStream, callee: Expression): Call {
  const args = parseArguments(tokens);
  return { kind: 'call', at: callee.at, end: tokens.lastEnd, callee, args };
}

function parseArguments(tokens: TokenStream): Arguments {
  tokens.expectOperator('(');
  const positional: Expression[] = [];
  const named: NamedArgument[] = [];
  const names = new Set<string>();
  let rest: Expression | undefined;
  let more: Expression | undefined;
  let first = true;
  while (!tokens.isOperator(')')) {
    if (!first) tokens.expectOperator(',');
    first = false;
    if (tokens.isOperator(')')) break;
    if (tokens.isOperator('*')) {
      if (rest !== undefined || more !== undefined) throw tokens.error("'*' may appear once, before '**'.");
      tokens.next();
      rest = parseExpression(tokens);
    } else if (tokens.isOperator('**')) {
      if (more !== undefined) throw tokens.error("'**' may appear once.");
      tokens.next();
      more = parseExpression(tokens);
    } else if (tokens.is('name') && tokens.peek().kind === 'operator' && tokens.peek().text === '=') {
      if (more !== undefined) throw tokens.error("a named argument cannot follow '**'.");
      const { text: name } = tokens.next();
      if (names.has(name)) throw tokens.error(`the argument '${name}' is given twice.`);
      names.add(name);
      tokens.next();
      named.push({ name, value: parseExpression(tokens) });
    } else {
      if (rest !== undefined || more !== undefined || named.length > 0) {
        throw tokens.error('a positional argument cannot follow a named one.');
      }
      positional.push(parseExpression(tokens));
    }
  }
  tokens.expectOperator(')');
  return { positional, named, rest, more };
}

/** `| name.with.dots(args)`; the value is undefined for the block forms, where the text comes later. */
export function parseFilter(tokens: TokenStream, value: Expression | undefined): Filter {
  const { at } = tokens.current;
  const name = parseDottedName(tokens, 'the name of a filter');
  tokens.noteFilter(name);
  const args = tokens.isOperator('(') ? parseArguments(tokens) : NO_ARGUMENTS;
  return { kind: 'filter', at, end: tokens.lastEnd, value, name, args };
}

function parseDottedName(tokens: TokenStream, expected: string): string {
  let name = tokens.expect('name', undefined, expected).text;
  while (tokens.skip('operator', '.')) name += `.${tokens.expect('name', undefined, expected).text}`;
  return name;
}

function parseTest(tokens: TokenStream, value: Expression): Expression {
  tokens.next();
  const negated = tokens.skip('name', 'not');
  const { at } = tokens.current;
  const name = parseDottedName(tokens, 'the name of a test');
  tokens.noteTest(name);
  const args = parseTestArguments(tokens);
  return { kind: 'test', at, end: tokens.lastEnd, value, name, args, negated };
}

const ENDS_A_TEST: ReadonlySet<string> = new Set(['else', 'or', 'and']);

/** A test takes its arguments in parentheses, or one without: `x is divisibleby 3`. */
function parseTestArguments(tokens: TokenStream): Arguments {
  if (tokens.isOperator('(')) return parseArguments(tokens);
  const { kind, text } = tokens.current;
  const starts =
    kind === 'string' || kind === 'integer' || kind === 'float' || tokens.isOperator('[') || tokens.isOperator('{');
  if (!starts && (kind !== 'name' || ENDS_A_TEST.has(text))) return NO_ARGUMENTS;
  if (tokens.isName('is')) throw tokens.error("tests cannot be chained with 'is'.", { hint: "Join them with 'and'." });
  const argument = parsePostfix(tokens, parsePrimary(tokens));
  return { ...NO_ARGUMENTS, positional: [argument] };
}
