import type { Json } from '@noetl/playbook';
import { SqlProblem } from './sql-problem.ts';
import { partOfText, SLOT, type Slot } from './sql-text.ts';
import type { Token } from './sql-tokens.ts';

/** What a text of SQL says, with the values of its templates in their places. One that is nothing but a null is null. */
export function textWithin({ text }: Token, slots: readonly Slot[]): Json {
  const written = saidBy(text);
  if (written === SLOT && slots[0]?.value === null) return null;
  const parts = written.split(SLOT);
  return parts.map((part, i) => (i === 0 ? part : `${partOfText(slots[i - 1]?.value ?? null)}${part}`)).join('');
}

function saidBy(text: string): string {
  const dollar = /^\$[^$]*\$/.exec(text)?.[0];
  if (dollar !== undefined) return text.slice(dollar.length, -dollar.length);
  const prefix = text.slice(0, text.indexOf("'")).toUpperCase();
  const body = text.slice(prefix.length + 1, -1);
  if (prefix === '') return body.replaceAll("''", "'");
  if (prefix === 'E') return unescaped(body);
  throw new SqlProblem(`a template stands in a text of the form ${prefix}'…'. Write it in plain quotes: '…'.`);
}

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** As PostgreSQL reads E'…'. */
function unescaped(body: string): string {
  return body.replaceAll(
    /''|\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([\s\S]))/g,
    (found, octal?: string, hex?: string, four?: string, eight?: string, plain?: string) => {
      if (found === "''") return "'";
      const code = octal ?? hex ?? four ?? eight;
      if (code === undefined) return ESCAPED[plain ?? ''] ?? plain ?? '';
      const number = Number.parseInt(code, octal === undefined ? 16 : 8);
      // Bytes of a longer character cannot be put together here.
      if ((octal ?? hex) !== undefined && number > 0x7f) {
        throw new SqlProblem(
          `a template stands in a text with ${found}. Write the character itself, or \\u and its number.`,
        );
      }
      if (number > 0x10ffff) throw new SqlProblem(`${found} is no character.`);
      return String.fromCodePoint(number);
    },
  );
}
