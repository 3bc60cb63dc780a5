import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonMap } from '@noetl/playbook';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { toolsUnderTest } from '../task-call.testing.ts';

const under = toolsUnderTest();
const folder = mkdtempSync(join(tmpdir(), 'noetl-places-'));
afterAll(async () => {
  await under.tools.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  under.logs.length = 0;
});

/** The task's `kind` stands in this line of its playbook, `code` in the next. */
const KIND_LINE = 10;
const FIRST = KIND_LINE + 2;

const block = (code: string): string => `\n  ${code.replaceAll('\n', '\n  ')}`;

async function failure(kind: string, code: string, playbook?: string) {
  const given = { folder, ...(playbook === undefined ? {} : { playbook }) };
  const { error } = await under.run(`kind: ${kind}\ncode: ${code}`, given);
  const { traceback } = (error?.details ?? {}) as { traceback?: readonly JsonMap[] };
  return { message: error?.message, places: traceback?.map(({ file, line }) => `${file}:${line}`) };
}

const PYTHON = 'def inner():\n    raise ValueError("no")\n\ndef main():\n    inner()';
const JAVASCRIPT = 'function inner() {\n  throw new RangeError("no");\n}\n\nfunction main() {\n  inner();\n}';

describe('the lines of code in a playbook', () => {
  it.each(['|', '|-', '|+', '|2-'])('are those of its file, for Python after %s', async (header) => {
    const { message, places } = await failure('python', `${header}${block(PYTHON)}`, 'etl.yaml');
    expect(message).toBe(`ValueError: no (etl.yaml:${FIRST + 1}: raise ValueError("no"))`);
    expect(places).toEqual([`etl.yaml:${FIRST + 4}`, `etl.yaml:${FIRST + 1}`]);
  });

  it('are those of its file, for JavaScript', async () => {
    const { message, places } = await failure('javascript', `|${block(JAVASCRIPT)}`, 'my etl.yaml');
    expect(message).toBe(`RangeError: no (my etl.yaml:${FIRST + 1}: throw new RangeError("no");)`);
    expect(places).toEqual([`my etl.yaml:${FIRST + 5}`, `my etl.yaml:${FIRST + 1}`]);
  });

  it('count blank lines and comments before the first statement', async () => {
    const { message } = await failure('python', `|\n\n  # nothing yet\n\n  raise ValueError("no")`, 'etl.yaml');
    expect(message).toBe(`ValueError: no (etl.yaml:${FIRST + 3}: raise ValueError("no"))`);
  });

  it.each([
    ['python', 'x = 1\nif x\n  pass', 'SyntaxError: '],
    ['javascript', 'const x = 1;\nif (x {\n}', 'SyntaxError: '],
    ['javascript', 'const x = 1;\nif (x) {', 'SyntaxError: '],
  ])('are named in a syntax error of %s', async (kind, code, problem) => {
    const { message, places } = await failure(kind, `|${block(code)}`, 'etl.yaml');
    expect(message).toContain(problem);
    expect(message).toContain(`(etl.yaml:${FIRST + 1}: if `);
    expect(places?.at(-1)).toBe(`etl.yaml:${FIRST + 1}`);
  });

  it.each([
    ['python', 'import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()', 2],
    ['python', 'import warnings\nwarnings.warn("careful")', 1],
    ['javascript', 'try {\n  null.x;\n} catch (error) {\n  console.error(error.stack);\n}', 1],
  ])('are those that %s itself prints', async (kind, code, line) => {
    await under.run(`kind: ${kind}\ncode: |${block(code)}`, { folder, playbook: 'etl.yaml' });
    const printed = under.logs.map(({ text }) => text).join('');
    expect(printed).toMatch(new RegExp(`etl\\.yaml(:|", line )${FIRST + line}\\b`));
  });

  it('are not taken from what an error says', async () => {
    const { places } = await failure(
      'javascript',
      `|${block('throw new Error("see etl.yaml:99\\n  etl.yaml:98");')}`,
      'etl.yaml',
    );
    expect(places).toEqual([`etl.yaml:${FIRST}`]);
  });

  it('show their text where Python prints them', async () => {
    const code = 'import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()';
    await under.run(`kind: python\ncode: |${block(code)}`, { folder, playbook: 'etl.yaml' });
    expect(under.logs.map(({ text }) => text).join('')).toContain('    1 / 0\n');
  });

  it.each([
    ['python', '">', `"x = 1\\nraise ValueError('no')"`, 'ValueError: no', "raise ValueError('no')"],
    ['python', '>', ">\n  x = 1\n\n  raise ValueError('no')", 'ValueError: no', "raise ValueError('no')"],
    [
      'javascript',
      "'",
      `'const x = 1;\n\n  throw new RangeError("no");'`,
      'RangeError: no',
      'throw new RangeError("no");',
    ],
  ])('are counted within the code of %s where it is written with %s, which says where it begins', async (...row) => {
    const [kind, , code, problem, text] = row;
    const { message } = await failure(kind, code, 'etl.yaml');
    const where = `line 2 of the code of 't', which begins at etl.yaml:${KIND_LINE + 1}`;
    expect(message).toBe(`${problem} (${where}: ${text})`);
  });

  it('are counted within the code if nobody knows its file', async () => {
    const { message } = await failure('python', `|${block(PYTHON)}`);
    expect(message).toBe(`ValueError: no (line 2 of the code of 't': raise ValueError("no"))`);
  });

  it.each([
    ['python', 'act.py', PYTHON, 'raise ValueError("no")'],
    ['javascript', 'act.js', JAVASCRIPT, 'throw new RangeError("no");'],
    [
      'javascript',
      'act.mjs',
      JAVASCRIPT.replace('function main', 'export function main'),
      'throw new RangeError("no");',
    ],
  ])('of a file of %s are those of %s', async (kind, name, code, text) => {
    writeFileSync(join(folder, name), code);
    const { error } = await under.run(`kind: ${kind}\nfile: ${name}`, { folder, playbook: 'etl.yaml' });
    const line = code.split('\n').findIndex((found) => /raise|throw/.test(found)) + 1;
    expect(error?.message).toContain(`(${join(folder, name)}:${line}: ${text})`);
  });
});
