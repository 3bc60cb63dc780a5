import { didYouMean } from '../nearest-name.ts';
import type { Expression, Filter, Parameter, Statement, Target, TemplateTree } from './ast.ts';
import { tokenize, type WhitespaceOptions } from './lexer.ts';
import { parseExpression, parseFilter, parseTuple } from './parse-expression.ts';
import { describeToken } from './token.ts';
import { type KnownNames, TokenStream } from './token-stream.ts';
import { namesOf } from './walk.ts';

const STATEMENTS: Readonly<Record<string, (tokens: TokenStream, at: number) => Statement>> = {
  if: parseIf,
  for: parseFor,
  set: parseSet,
  macro: parseMacro,
  call: parseCallBlock,
  filter: parseFilterBlock,
  with: parseWith,
  print: parsePrint,
};

/** Jinja statements that load other templates or switch escaping; a playbook has neither. */
const UNAVAILABLE: ReadonlySet<string> = new Set(['include', 'extends', 'import', 'from', 'block', 'autoescape']);
const CLOSERS: ReadonlySet<string> = new Set([
  'elif',
  'else',
  'endif',
  'endfor',
  'endset',
  'endmacro',
  'endcall',
  'endfilter',
  'endwith',
  'endraw',
]);
const CONSTANT_NAMES: ReadonlySet<string> = new Set(['true', 'false', 'none', 'True', 'False', 'None']);

interface Parsed {
  readonly tree: TemplateTree;
  /** Whether all filters and tests in it exist. */
  readonly allKnown: boolean;
}

export function parse(source: string, whitespace: WhitespaceOptions, maxNesting: number, known: KnownNames): Parsed {
  const tokens = new TokenStream(source, tokenize(source, whitespace), maxNesting, known);
  const body = parseBody(tokens, []);
  if (!tokens.is('end')) throw unexpectedTag(tokens, []);
  return { tree: { body }, allKnown: tokens.allKnown };
}

/** Statements up to a tag named in `closers`, which is left as the current token, past its `{%`. */
function parseBody(tokens: TokenStream, closers: readonly string[]): readonly Statement[] {
  const body: Statement[] = [];
  for (;;) {
    const { kind, text, at } = tokens.current;
    if (kind === 'end') return body;
    if (kind === 'text') {
      tokens.next();
      body.push({ kind: 'text', at, text });
    } else if (kind === 'output-begin') {
      tokens.next();
      body.push({ kind: 'output', at, expression: parseTuple(tokens) });
      tokens.expect('output-end', undefined, "'}}'");
    } else {
      tokens.expect('block-begin', undefined, "'{%'");
      if (tokens.is('name') && closers.includes(tokens.current.text)) return body;
      body.push(tokens.nested(() => parseStatement(tokens, at, closers)));
    }
  }
}

function parseStatement(tokens: TokenStream, at: number, closers: readonly string[]): Statement {
  if (!tokens.is('name'))
    throw tokens.error(`expected the name of a statement, found ${describeToken(tokens.current)}.`);
  const name = tokens.current.text;
  const parseThis = Object.hasOwn(STATEMENTS, name) ? STATEMENTS[name] : undefined;
  if (parseThis === undefined) throw unexpectedTag(tokens, closers);
  tokens.next();
  return parseThis(tokens, at);
}

function unexpectedTag(tokens: TokenStream, closers: readonly string[]): Error {
  const name = tokens.current.text;
  if (UNAVAILABLE.has(name)) {
    return tokens.error(`'{% ${name} %}' is not available in playbooks.`, {
      code: 'NOETL_TEMPLATE_UNAVAILABLE',
      hint: 'A template here is one text: it cannot load another template or switch escaping.',
    });
  }
  if (CLOSERS.has(name)) {
    const expected = closers.map((closer) => `'{% ${closer} %}'`).join(' or ');
    const hint = closers.length === 0 ? undefined : `Expected ${expected} first.`;
    return tokens.error(`'{% ${name} %}' closes nothing that is open here.`, { hint });
  }
  return tokens.error(`there is no statement '${name}'.`, { hint: didYouMean(name, Object.keys(STATEMENTS)) });
}

/** The body of a statement up to its closer, and the closer's tag as well. */
function parseClosedBody(tokens: TokenStream, statement: string, at: number): readonly Statement[] {
  openBody(tokens);
  const body = parseBody(tokens, [`end${statement}`]);
  close(tokens, statement, at);
  return body;
}

function close(tokens: TokenStream, statement: string, at: number): void {
  if (tokens.is('end')) {
    throw tokens.error(`this '{% ${statement} %}' is never closed: expected '{% end${statement} %}'.`, { at });
  }
  tokens.next();
  endTag(tokens);
}

/** The end of a tag that opens a body; as in Jinja, Python's colon may stand before it. */
function openBody(tokens: TokenStream): void {
  tokens.skip('operator', ':');
  endTag(tokens);
}

function endTag(tokens: TokenStream): void {
  tokens.expect('block-end', undefined, "'%}'");
}

function parseIf(tokens: TokenStream, at: number): Statement {
  const branches: { test: Expression; body: readonly Statement[] }[] = [];
  let otherwise: readonly Statement[] = [];
  for (;;) {
    const test = parseTuple(tokens, { withCondition: false });
    openBody(tokens);
    branches.push({ test, body: parseBody(tokens, ['elif', 'else', 'endif']) });
    if (!tokens.skip('name', 'elif')) break;
  }
  if (tokens.skip('name', 'else')) {
    openBody(tokens);
    otherwise = parseBody(tokens, ['endif']);
  }
  close(tokens, 'if', at);
  return { kind: 'if', at, branches, otherwise };
}

function parseFor(tokens: TokenStream, at: number): Statement {
  const target = parseTarget(tokens, () => tokens.isName('in'));
  if (namesOf(target).includes('loop'))
    throw tokens.error("'loop' is the loop itself and cannot be its item.", { at: target.at });
  tokens.expect('name', 'in', "'in'");
  const iterable = parseTuple(tokens, { withCondition: false });
  const condition = tokens.skip('name', 'if') ? parseExpression(tokens) : undefined;
  const recursive = tokens.skip('name', 'recursive');
  openBody(tokens);
  const body = parseBody(tokens, ['else', 'endfor']);
  let otherwise: readonly Statement[] = [];
  if (tokens.skip('name', 'else')) {
    openBody(tokens);
    otherwise = parseBody(tokens, ['endfor']);
  }
  close(tokens, 'for', at);
  return { kind: 'for', at, target, iterable, condition, recursive, body, otherwise };
}

function parseSet(tokens: TokenStream, at: number): Statement {
  const target = parseSetTarget(tokens);
  if (tokens.skip('operator', '=')) {
    const value = parseTuple(tokens);
    endTag(tokens);
    return { kind: 'set', at, target, value };
  }
  const filter = tokens.skip('operator', '|') ? parseFilterChain(tokens) : undefined;
  return { kind: 'set-block', at, target, filter, body: parseClosedBody(tokens, 'set', at) };
}

function parseSetTarget(tokens: TokenStream): Target {
  const { at } = tokens.current;
  if (!tokens.is('name') || tokens.peek().kind !== 'operator' || tokens.peek().text !== '.') {
    return parseTarget(tokens, () => tokens.isOperator('='));
  }
  const object = tokens.next().text;
  tokens.next();
  const name = tokens.expect('name', undefined, "a name after '.'").text;
  return { kind: 'attribute-target', at, object, name };
}

/** `a`, `a, b`, `(a, b)`, `a, (b, c)`. */
function parseTarget(tokens: TokenStream, ends: () => boolean): Target {
  const { at } = tokens.current;
  const items = [parseTargetItem(tokens)];
  const only = items[0];
  if (!tokens.isOperator(',') && only !== undefined) return only;
  while (tokens.skip('operator', ',')) {
    if (ends() || tokens.isOperator(')')) break;
    items.push(parseTargetItem(tokens));
  }
  return { kind: 'tuple-target', at, items };
}

function parseTargetItem(tokens: TokenStream): Target {
  const { at } = tokens.current;
  if (tokens.skip('operator', '(')) {
    const inner = tokens.nested(() => parseTarget(tokens, () => false));
    tokens.expectOperator(')');
    return inner;
  }
  return { kind: 'name-target', at, name: parseOwnName(tokens) };
}

/** A name that may be assigned to. */
function parseOwnName(tokens: TokenStream): string {
  const token = tokens.expect('name', undefined, 'a name');
  if (CONSTANT_NAMES.has(token.text)) throw tokens.error(`'${token.text}' cannot be assigned to.`, { at: token.at });
  return token.text;
}

function parseParameters(tokens: TokenStream): readonly Parameter[] {
  const parameters: Parameter[] = [];
  tokens.expectOperator('(');
  while (!tokens.isOperator(')')) {
    if (parameters.length > 0) tokens.expectOperator(',');
    const { at } = tokens.current;
    const name = parseOwnName(tokens);
    const fallback = tokens.skip('operator', '=') ? parseExpression(tokens) : undefined;
    if (fallback === undefined && parameters.at(-1)?.fallback !== undefined) {
      throw tokens.error(`the parameter '${name}' needs a default because one before it has one.`, { at });
    }
    if (parameters.some((other) => other.name === name))
      throw tokens.error(`the parameter '${name}' stands here twice.`, { at });
    if (name === 'caller' && fallback === undefined)
      throw tokens.error("the parameter 'caller' needs a default.", { at });
    parameters.push({ at, name, fallback });
  }
  tokens.expectOperator(')');
  return parameters;
}

function parseMacro(tokens: TokenStream, at: number): Statement {
  const name = parseOwnName(tokens);
  const parameters = parseParameters(tokens);
  return { kind: 'macro', at, name, parameters, body: parseClosedBody(tokens, 'macro', at) };
}

function parseCallBlock(tokens: TokenStream, at: number): Statement {
  const parameters = tokens.isOperator('(') ? parseParameters(tokens) : [];
  const start = tokens.current.at;
  const call = parseExpression(tokens);
  if (call.kind !== 'call') throw tokens.error('expected a call, as in {% call macro() %}.', { at: start });
  return { kind: 'call-block', at, parameters, call, body: parseClosedBody(tokens, 'call', at) };
}

/** `upper | trim | …` without a value in front. */
function parseFilterChain(tokens: TokenStream): Filter {
  let filter = parseFilter(tokens, undefined);
  for (let links = 1; tokens.skip('operator', '|'); links++) {
    tokens.checkLength(links);
    filter = parseFilter(tokens, filter);
  }
  return filter;
}

function parseFilterBlock(tokens: TokenStream, at: number): Statement {
  const filter = parseFilterChain(tokens);
  return { kind: 'filter-block', at, filter, body: parseClosedBody(tokens, 'filter', at) };
}

function parseWith(tokens: TokenStream, at: number): Statement {
  const assignments: { target: Target; value: Expression }[] = [];
  while (!tokens.is('block-end')) {
    if (assignments.length > 0) tokens.expectOperator(',');
    const target = parseTarget(tokens, () => tokens.isOperator('='));
    tokens.expectOperator('=');
    assignments.push({ target, value: parseExpression(tokens) });
  }
  return { kind: 'with', at, assignments, body: parseClosedBody(tokens, 'with', at) };
}

function parsePrint(tokens: TokenStream, at: number): Statement {
  const expression = parseTuple(tokens);
  endTag(tokens);
  return { kind: 'output', at, expression };
}
