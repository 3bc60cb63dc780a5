import { describe, expect, it } from 'vitest';
import { noetl } from '../scripted-terminal.testing.ts';

describe('render', () => {
  it('prints the native value of one expression', async () => {
    expect(await noetl(['render', '{{ [1, 2] | sum }}'])).toEqual({ exitCode: 0, stdout: '3\n', stderr: '' });
  });

  it('prints text as it is, and other values as JSON', async () => {
    const printed = async (template: string) => (await noetl(['render', template])).stdout;
    expect(await printed('Hello {{ "Ada" }}!')).toBe('Hello Ada!\n');
    expect(await printed('{{ "3" }}')).toBe('3\n');
    expect(await printed('{{ 1 == 1 }}')).toBe('true\n');
    expect(await printed('{{ none }}')).toBe('null\n');
    expect(await printed('{{ {"a": [1, 2.5]} }}')).toBe('{\n  "a": [\n    1,\n    2.5\n  ]\n}\n');
    expect(await printed('')).toBe('\n');
  });

  it('prints one line of JSON with --json, so that text and numbers differ', async () => {
    const printed = async (template: string) => (await noetl(['render', '--json', template])).stdout;
    expect(await printed('{{ "3" }}')).toBe('"3"\n');
    expect(await printed('{{ 3 }}')).toBe('3\n');
    expect(await printed('{{ {"a": [1, "x\ny"]} }}')).toBe('{"a":[1,"x\\ny"]}\n');
  });

  it('keeps integers exact that no number can hold, as their decimal string in JSON (TPL-8)', async () => {
    const power = '{{ 2 ** 100 }}';
    expect((await noetl(['render', power])).stdout).toBe('1267650600228229401496703205376\n');
    expect((await noetl(['render', '--json', power])).stdout).toBe('"1267650600228229401496703205376"\n');
    expect((await noetl(['render', '--json', '{{ [2 ** 53 + 1] }}'])).stdout).toBe('["9007199254740993"]\n');
    expect((await noetl(['render', '--json', '{{ 4 / 2 }}'])).stdout).toBe('2\n');
  });

  it('takes names from the JSON file of --scope', async () => {
    const files = { 'scope.json': '{"user": {"name": "Ada"}, "id": 12345678901234567890}' };
    const printed = async (template: string) =>
      (await noetl(['render', '--scope', 'scope.json', template], files)).stdout;
    expect(await printed('Hello {{ user.name }}')).toBe('Hello Ada\n');
    expect(await printed('{{ id }}')).toBe('12345678901234567890\n');
  });

  it('reads the template or the scope from standard input, but not both', async () => {
    const input = { '-': '{"n": 2}', 'scope.json': '{"n": 3}' };
    expect((await noetl(['render', '{{ n }}', '--scope', '-'], input)).stdout).toBe('2\n');
    expect((await noetl(['render', '-', '--scope', 'scope.json'], { ...input, '-': '{{ n }}' })).stdout).toBe('3\n');
    expect(await noetl(['render', '-', '--scope', '-'], input)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'error: template and scope cannot both be read from standard input\n',
    });
  });

  it('answers an invalid template with exit code 4, its place and an excerpt', async () => {
    const { exitCode, stdout, stderr } = await noetl(['render', 'Dear\n{{ user | upcase }}']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
    expect(stderr).toMatch(/^template:2:\d+ NOETL_TEMPLATE_NAME: .*upcase/);
    expect(stderr).toMatch(/\n\{\{ user \| upcase \}\}\n +\^\n$/);
  });

  it('calls the template by where it came from', async () => {
    expect((await noetl(['render', '-'], { '-': '{{' })).stderr).toMatch(/^stdin:1:\d+ NOETL_TEMPLATE_SYNTAX: /);
  });

  it('answers a failed evaluation with exit code 1 and its place', async () => {
    const { exitCode, stdout, stderr } = await noetl(['render', '{{ 1 / 0 }}']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/^template:1:\d+ NOETL_TEMPLATE_VALUE: /);
  });

  it('answers an undefined value with an error that proposes the nearest name', async () => {
    const { exitCode, stderr } = await noetl(['render', '{{ nmae }}', '--scope', 's'], { s: '{"name": 1}' });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^template:1:\d+ NOETL_TEMPLATE_UNDEFINED: .*nmae.*name/);
  });

  it('refuses a number that JSON does not have', async () => {
    const { exitCode, stderr } = await noetl(['render', '{{ 1e308 * 10 }}']);
    expect(exitCode).toBe(1);
    expect(stderr).toBe('error: the value contains Infinity, which JSON cannot hold\n');
  });

  it('names the scope file that cannot be read', async () => {
    expect(await noetl(['render', 'x', '--scope', 'none.json'])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'error: cannot read the scope: no such file: none.json\n',
    });
  });

  it('gives now() and random what they need', async () => {
    expect((await noetl(['render', '{{ now() }}'])).stdout).toBe('2026-01-02T03:04:05.678Z\n');
    expect((await noetl(['render', '{{ [7] | random }}'])).stdout).toBe('7\n');
  });
});
