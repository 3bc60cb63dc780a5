import type { Json, JsonMap } from '@noetl/playbook';
import { didYouMean } from '@noetl/template';
import { isMap } from '../checked-fields.ts';
import { splitStatements } from './split-statements.ts';
import { literalOf, type SqlDialect } from './sql-dialect.ts';
import { SqlProblem } from './sql-problem.ts';
import { partOfText, SLOT, type Slot, type SqlText } from './sql-text.ts';
import { isSignificant, isSymbol, type Token, tokensOf } from './sql-tokens.ts';
import { textWithin } from './string-literal.ts';
import { openPlaceFinder, type ValuePlace } from './value-place.ts';
import { type WrittenPlace, writtenPlaces } from './written-places.ts';

/** A statement as the database gets it: values are parameters `$1`, `$2` … beside the text. */
export interface BoundStatement {
  readonly text: string;
  readonly values: readonly Json[];
  /** Its first word, in upper case. */
  readonly verb: string;
  /** Its tokens as they were written, without spaces and comments. */
  readonly tokens: readonly Token[];
  /** Where a character of the text stands in what the author wrote. */
  placeOf(offset: number): WrittenPlace;
}

/** Values for placeholders that the author wrote; undefined if there are none. */
export type Params = readonly Json[] | JsonMap | undefined;

/** Where a file that a statement names is to be found. */
export type FileAt = (path: string) => string;

/** TOOL-3: SQL as statements whose text no value can change. Throws a SqlProblem. */
export function boundStatements(
  sql: SqlText,
  params: Params,
  dialect: SqlDialect,
  fileAt: FileAt = (path) => path,
): readonly BoundStatement[] {
  const written = writtenPlaces(sql);
  const slotAt = new Map([...sql.text.matchAll(new RegExp(SLOT, 'gu'))].map(({ index }, i) => [index, sql.slots[i]]));
  return splitStatements(sql.text).map((tokens) =>
    boundStatement(tokens, { slotAt, params, dialect, fileAt, written }),
  );
}

interface Binding {
  readonly slotAt: ReadonlyMap<number, Slot | undefined>;
  readonly params: Params;
  readonly dialect: SqlDialect;
  readonly fileAt: FileAt;
  readonly written: ReturnType<typeof writtenPlaces>;
}

function boundStatement(tokens: readonly Token[], binding: Binding): BoundStatement {
  const { dialect, written } = binding;
  const significant = tokens.filter(isSignificant);
  const verb = significant[0]?.text.toUpperCase() ?? '';
  const isBindable = dialect.bindable.has(verb);
  const holdsCode = isCode(significant);
  const finder = openPlaceFinder(isBindable);
  const values: Json[] = [];
  const origins: { readonly at: number; readonly out: number }[] = [];
  let text = '';
  let seen = 0;
  let questions = 0;
  const put = (value: Json, place: ValuePlace): string =>
    place === 'parameter' || (place === 'in' && isBindable)
      ? `$${values.push(value)}`
      : place === 'typed'
        ? ` ${dialect.textLiteral(partOfText(value))} `
        : literalOf(value, dialect);
  for (const [i, token] of tokens.entries()) {
    if (isSignificant(token)) seen++;
    const next = significant[seen];
    const touches = {
      before: isTouching(tokens[i - 1], token),
      after: isTouching(token, tokens[i + 1]),
    };
    origins.push({ at: token.at, out: text.length });
    text += sqlOf(token, next, touches, significant[seen - 2]);
    for (const passed of isSignificant(token) ? passedOf(token, text.slice(origins.at(-1)?.out)) : [])
      finder.pass(passed);
  }
  return { text, values, verb, tokens: significant, placeOf: (offset) => written(originOf(origins, offset)) };

  /** What comes next is judged by what a template became. */
  function passedOf(token: Token, sql: string): readonly Token[] {
    if (token.text === '?' && !dialect.hasQuestionMarks) return [{ ...token, kind: 'symbol' }];
    if (token.kind !== 'slot') return [token];
    return binding.slotAt.get(token.at)?.isWritten === true && /^ [^$'"]* $/.test(sql)
      ? tokensOf(sql).filter(isSignificant)
      : [{ ...token, kind: 'name' }];
  }

  function sqlOf(token: Token, next: Token | undefined, touches: Touching, before: Token | undefined): string {
    switch (token.kind) {
      case 'slot':
        return slotSql(token, next, touches, before);
      case 'string':
        if (dialect.namesFiles && finder.isFile()) return fileSql(textWithin(token, slotsIn(token, binding)));
        return token.text.includes(SLOT) ? stringSql(token, next) : token.text;
      case 'name':
        if (token.text.includes(SLOT)) throw inName(slotsIn(token, binding)[0]);
        return token.text;
      case 'comment':
        return token.text.replaceAll(SLOT, '');
      case 'placeholder': {
        // The placeholders of PREPARE are its own.
        const given = verb === 'PREPARE' ? undefined : paramOf(token, binding, () => ++questions);
        return given === undefined ? token.text : put(given, finder.placeOf(next, NOT_TOUCHING));
      }
      default:
        return token.text;
    }
  }

  function slotSql(token: Token, next: Token | undefined, touches: Touching, before: Token | undefined): string {
    const slot = binding.slotAt.get(token.at);
    if (slot === undefined) return '';
    if (slot.isName) {
      // U&"…" would be another name, t"…" an alias.
      if (touches.before && (before?.kind === 'word' || isSymbol(before, '&'))) throw misplaced(slot, 'part', dialect);
      return String(slot.value);
    }
    const place = finder.placeOf(next, touches);
    if (dialect.namesFiles && finder.isFile() && place !== 'part') return fileSql(slot.value);
    if (isKeyword(slot, place)) return ` ${slot.value} `;
    if (place === 'name' || place === 'part' || place === 'other') throw misplaced(slot, place, dialect);
    if (place === 'in' && Array.isArray(slot.value)) return listSql(slot, slot.value);
    if (place === 'in' && !isSymbol(before, '(')) {
      throw new SqlProblem(`${slot.written} stands after IN, and is no list.`);
    }
    return put(slot.value, place);

    function listSql({ written: source }: Slot, items: readonly Json[]): string {
      if (items.length === 0) {
        const instead = `= ANY(${source})`;
        throw new SqlProblem(`the list of IN (${source}) is empty, which SQL does not know. Write ${instead} instead.`);
      }
      const listed = items.map((item) => put(item, 'in')).join(', ');
      return isSymbol(before, '(') ? listed : `(${listed})`;
    }
  }

  function fileSql(path: Json): string {
    return literalOf(binding.fileAt(partOfText(path)), dialect);
  }

  function stringSql(token: Token, next: Token | undefined): string {
    if (holdsCode) {
      const [slot] = slotsIn(token, binding);
      throw new SqlProblem(
        `${slot?.written} stands inside of code (${verb}), where its value would become code. Pass it another way: as an argument of the function, or with set_config() and current_setting().`,
      );
    }
    const slots = slotsIn(token, binding);
    const value = textWithin(token, slots);
    const place = next?.kind === 'string' ? 'literal' : finder.placeOf(next, NOT_TOUCHING);
    return place === 'parameter' || (place === 'in' && isBindable) ? put(value, place) : literalOf(value, dialect);
  }
}

interface Touching {
  readonly before: boolean;
  readonly after: boolean;
}
const NOT_TOUCHING: Touching = { before: false, after: false };

const isTouching = (first: Token | undefined, second: Token | undefined): boolean =>
  first !== undefined && second !== undefined && isSignificant(first) && isSignificant(second);

const slotsIn = ({ text, at }: Token, { slotAt }: Binding): readonly Slot[] =>
  [...text.matchAll(new RegExp(SLOT, 'gu'))].flatMap(({ index }) => slotAt.get(at + index) ?? []);

/** A keyword or a comma that the author wrote inside of a template, where no value can stand. */
const isKeyword = ({ value, isWritten }: Slot, place: ValuePlace): boolean =>
  isWritten && (place === 'other' || place === 'name') && /^[\sA-Za-z_,]*$/.test(String(value));

/** Statements whose texts are code. */
function isCode(tokens: readonly Token[]): boolean {
  const verb = tokens[0]?.text.toUpperCase();
  if (verb === 'DO') return true;
  return verb === 'CREATE' && tokens.slice(1, 4).some(({ text }) => /^(?:function|procedure)$/i.test(text));
}

function originOf(origins: readonly { readonly at: number; readonly out: number }[], offset: number): number {
  const origin = origins.findLast(({ out }) => out <= offset) ?? { at: 0, out: 0 };
  return origin.at + (offset - origin.out);
}

/** What a placeholder of the author stands for; undefined if it is none of ours. */
function paramOf({ text }: Token, { params, dialect }: Binding, questions: () => number): Json | undefined {
  const list: readonly Json[] = Array.isArray(params) ? params : [];
  if (text === '?') {
    if (!dialect.hasQuestionMarks || !Array.isArray(params)) return undefined;
    const value = list[questions() - 1];
    return value === undefined ? unknownParam(text) : value;
  }
  if (/^\$\d+$/.test(text)) {
    const value = list[Number(text.slice(1)) - 1];
    return value === undefined ? unknownParam(text) : value;
  }
  const name = text.slice(1);
  const map = isMap(params) ? params : {};
  if (Object.hasOwn(map, name)) return map[name] ?? null;
  return text.startsWith(':') ? undefined : unknownParam(text, didYouMean(name, Object.keys(map)));
}

function unknownParam(placeholder: string, near = ''): never {
  throw new SqlProblem(`${placeholder} has no value in 'params'. ${near}`.trimEnd());
}

function inName(slot: Slot | undefined): SqlProblem {
  const inner = slot?.written.replace(/^\{\{[-+]?\s*|\s*[-+]?\}\}$/g, '');
  return new SqlProblem(
    `${slot?.written} stands in a name in double quotes. Write {{ ${inner} | ident }} without the quotes; a name of several parts is put together first: {{ ('orders_' ~ ${inner}) | ident }}.`,
  );
}

function misplaced({ written, value }: Slot, place: 'name' | 'part' | 'other', { database }: SqlDialect): SqlProblem {
  const inner = written.replace(/^\{\{[-+]?\s*|\s*[-+]?\}\}$/g, '');
  const ident = `{{ ${inner.includes('|') || inner.includes(' ') ? `(${inner})` : inner} | ident }}`;
  if (place === 'name') {
    return new SqlProblem(`${written} stands where ${database} expects a name, which no value can be. Write ${ident}.`);
  }
  if (place === 'part') {
    const what = typeof value === 'string' || typeof value === 'number' ? 'a part of a word' : 'beside a word';
    return new SqlProblem(
      `${written} is ${what}. Put a space between, or, for a name, put its text together first: {{ ('orders_' ~ ${inner}) | ident }}.`,
    );
  }
  return new SqlProblem(
    `${written} stands where ${database} expects a keyword, an operator or a name; a value cannot be a part of the statement itself. For a name write ${ident}; for a keyword {% if … %}DESC{% endif %}.`,
  );
}
