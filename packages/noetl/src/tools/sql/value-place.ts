import { isSymbol, isWord, type Token } from './sql-tokens.ts';

/** What may stand in a place of a statement. */
export type ValuePlace =
  /** A value, as a parameter. */
  | 'parameter'
  /** A value, but only written out: `DEFAULT 1`. */
  | 'literal'
  /** A text after a type, written out: `INTERVAL '1 day'`. */
  | 'typed'
  /** The list of `IN`. */
  | 'in'
  /** The name of a table, column, type and the like. */
  | 'name'
  /** A part of a longer word. */
  | 'part'
  /** A keyword, an operator, or nothing at all. */
  | 'other';

/** Words after which an expression begins. */
const BEFORE_VALUE = words(`
  ALL AND ANY BETWEEN BOTH CASE DEFAULT DISTINCT ELSE ESCAPE FETCH FIRST FOR GLOB HAVING ILIKE LEADING LIKE LIMIT NEXT NOT OFFSET ON OR
  OVERLAPS PLACING QUALIFY RANGE REGEXP RETURN RETURNING RLIKE ROWS SELECT SIMILAR SOME SYMMETRIC THEN TRAILING USING VALUE
  WHEN WHERE
`);

/** Words after which a name comes. */
const BEFORE_NAME = words(`
  AS CASCADE COLLATE COLUMN CONSTRAINT DATABASE DESCRIBE EXISTS EXTENSION FROM FUNCTION INDEX INSTALL INTO JOIN LOAD ONLY
  PROCEDURE REFERENCES ROLE SCHEMA SEQUENCE SET SUMMARIZE TABLE TRIGGER TRUNCATE TYPE UPDATE USE VIEW
`);

/** Types that may stand before a text: `DATE '2030-01-31'`. */
const TYPES = words(`
  BIGINT BIT BLOB BOOL BOOLEAN BYTEA CHAR CIDR DATE DECIMAL DOUBLE FLOAT HUGEINT INET INT INTEGER INTERVAL JSON JSONB
  MACADDR MONEY NUMERIC PRECISION REAL REGCLASS SMALLINT TEXT TIME TIMESTAMP TIMESTAMPTZ TIMESTAMP_MS TIMESTAMP_NS
  TIMESTAMP_S TIMETZ UUID VARCHAR XML ZONE
`);

/** Functions whose arguments are parted by words: `substring(text FROM 2 FOR 3)`. */
const WITH_FROM = words('EXTRACT OVERLAY SUBSTRING TRIM');

/** The brackets and clauses around a place. */
interface Bracket {
  /** The token before the bracket. */
  readonly opener: Token | undefined;
  /** The keyword that last began a clause in it. */
  readonly clause: string;
  /** Whether it lists columns: `INSERT INTO t (a, b)`. */
  readonly isColumnList: boolean;
}

const CLAUSES = words(
  'FROM GROUP HAVING INTO JOIN LIMIT ON ORDER PARTITION QUALIFY RETURNING SELECT SET UPDATE USING VALUES WHERE WINDOW',
);

/**
 * Follows the tokens of a statement, and tells what may stand next. Where it is wrong, the database refuses the statement;
 * no value can change it.
 */
export interface PlaceFinder {
  /** What may stand between what was passed and `next`; `touches` tells which of them have no space between. */
  placeOf(next: Token | undefined, touches: { readonly before: boolean; readonly after: boolean }): ValuePlace;
  /** Whether a text here names a file: `COPY … TO 'file'`. */
  isFile(): boolean;
  pass(token: Token): void;
}

export function openPlaceFinder(isBindable: boolean): PlaceFinder {
  const passed: Token[] = [];
  let brackets: readonly Bracket[] = [{ opener: undefined, clause: '', isColumnList: false }];
  const inner = (): Bracket => brackets.at(-1) ?? { opener: undefined, clause: '', isColumnList: false };
  const back = (count: number): Token | undefined => passed.at(-count);

  function afterWord(word: string): ValuePlace {
    if (word === 'IN') return isWord(inner().opener, 'POSITION') ? 'parameter' : 'in';
    if (word === 'FROM' && (isWord(back(2), 'DISTINCT') || isIn(inner().opener, WITH_FROM))) return 'parameter';
    if ((word === 'FROM' || word === 'TO') && isWord(passed[0], 'COPY')) return 'literal';
    if (word === 'TO') return isWord(back(2), 'SIMILAR') || isWord(passed[0], 'SET') ? 'parameter' : 'name';
    if (word === 'BY') return isWord(back(2), 'ORDER', 'GROUP', 'PARTITION') ? 'name' : 'literal';
    if (word === 'ZONE' && isWord(back(3), 'AT')) return 'parameter';
    if (word === 'EXISTS' && !isWord(back(2), 'IF') && !isWord(back(2), 'NOT')) return 'other';
    if (BEFORE_NAME.has(word)) return 'name';
    if (TYPES.has(word)) return 'typed';
    if (word === 'ON' && !isBindable) return 'name';
    if (BEFORE_VALUE.has(word)) return 'parameter';
    return isBindable ? 'other' : 'literal';
  }

  function afterSymbol(symbol: string): ValuePlace {
    const { opener, clause, isColumnList } = inner();
    if (symbol === '.' || symbol === '::') return 'name';
    if (symbol === ')' || symbol === ']') return isBindable ? 'other' : 'literal';
    if (symbol !== '(' && symbol !== ',') return 'parameter';
    if (isColumnList || isWord(opener, 'CONFLICT', 'KEY', 'UNIQUE')) return 'name';
    if (symbol === '(') return isWord(opener, 'IN') ? 'in' : isWord(opener, 'USING') ? 'name' : 'parameter';
    const isFunction = isIn(opener, WITH_FROM);
    return ['FROM', 'ORDER', 'GROUP', 'PARTITION', 'SET'].includes(clause) && !isFunction ? 'name' : 'parameter';
  }

  return {
    placeOf(next, touches) {
      const before = back(1);
      const isPart = (token: Token | undefined) =>
        token !== undefined && ['word', 'name', 'number', 'placeholder', 'slot', 'string'].includes(token.kind);
      if ((touches.before && isPart(before)) || (touches.after && isPart(next))) return 'part';
      if (isSymbol(next, '.') || isSymbol(next, '(')) return 'name';
      if (before === undefined) return 'other';
      const place =
        before.kind === 'word'
          ? afterWord(before.text.toUpperCase())
          : before.kind === 'symbol'
            ? afterSymbol(before.text)
            : 'other';
      if (place === 'in') return isBindable || isSymbol(before, '(') ? 'in' : 'literal';
      // `CREATE TABLE t ({{ column }} integer)`.
      if (!isBindable && isSymbol(before, '(') && next?.kind === 'word') return 'name';
      return place === 'parameter' && !isBindable ? 'literal' : place;
    },
    isFile() {
      const [verb] = passed;
      if (isWord(verb, 'COPY')) return brackets.length === 1 && isWord(back(1), 'TO', 'FROM');
      if (isWord(verb, 'ATTACH')) return isWord(back(1), 'ATTACH', 'DATABASE', 'EXISTS');
      return isWord(verb, 'EXPORT', 'IMPORT') && isWord(back(1), 'DATABASE');
    },
    pass(token) {
      const before = back(1);
      const { clause } = inner();
      if (isSymbol(token, '(')) {
        const isInto = clause === 'INTO' && before?.kind !== 'symbol';
        brackets = [...brackets, { opener: before, clause: '', isColumnList: isInto }];
      } else if (isSymbol(token, ')') && brackets.length > 1) {
        brackets = brackets.slice(0, -1);
      } else if (isIn(token, CLAUSES)) {
        brackets = [...brackets.slice(0, -1), { ...inner(), clause: token.text.toUpperCase() }];
      }
      passed.push(token);
    },
  };
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

const isIn = (token: Token | undefined, set: ReadonlySet<string>): boolean =>
  token?.kind === 'word' && set.has(token.text.toUpperCase());
