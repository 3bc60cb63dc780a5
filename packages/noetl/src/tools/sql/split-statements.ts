import { isSignificant, isSymbol, isWord, type Token, tokensOf } from './sql-tokens.ts';

/** The statements of a text, each with its tokens; what holds nothing but space and comments is none. */
export function splitStatements(text: string): readonly (readonly Token[])[] {
  const statements: Token[][] = [];
  let current: Token[] = [];
  /** Brackets, and bodies of functions (`BEGIN ATOMIC … END`), hold semicolons that end nothing. */
  let depth = 0;
  let body = 0;
  let before: Token | undefined;
  const end = () => {
    if (current.some(isSignificant)) statements.push(current);
    current = [];
    depth = 0;
    body = 0;
    before = undefined;
  };
  for (const token of tokensOf(text)) {
    if (isSymbol(token, ';') && depth === 0 && body === 0) {
      end();
      continue;
    }
    current.push(token);
    if (!isSignificant(token)) continue;
    if (isSymbol(token, '(')) depth++;
    else if (isSymbol(token, ')')) depth = Math.max(0, depth - 1);
    else if (isWord(token, 'ATOMIC') && isWord(before, 'BEGIN')) body++;
    else if (body > 0 && isWord(token, 'CASE')) body++;
    else if (body > 0 && isWord(token, 'END')) body--;
    before = token;
  }
  end();
  return statements;
}
