import { parseExactJson } from '../exact-json.ts';
import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-code.ts';
import { findJsonProblem } from './json-problem.ts';

/** The names a template may use, from the text of a JSON file. `name` is what the user calls that file. */
export const parseScope = (source: string, name: string): Record<string, unknown> =>
  parseJsonObject(source, name, 'a scope is a JSON object such as {"user": "Ada"}');

/** A text that must be a JSON object; `rule` says so, and what one looks like. */
export function parseJsonObject(source: string, name: string, rule: string): Record<string, unknown> {
  const value = parseJson(source, name);
  if (!isRecord(value)) throw refused(`${name} holds ${describe(value)}, but ${rule}`);
  return value;
}

/** A text that must be JSON. `name` is what the user calls it. */
export function parseJson(source: string, name: string): unknown {
  try {
    return parseExactJson(source);
  } catch (error) {
    const problem = findJsonProblem(source);
    if (problem === undefined) throw error;
    const { line, column, excerpt } = placeOf(source, problem.offset);
    const { expected, found } = problem;
    throw refused(`${name}:${line}:${column} is not valid JSON: expected ${expected}, found ${found}\n${excerpt}`);
  }
}

function refused(message: string): CommandFailure {
  return new CommandFailure(EXIT.usage, `error: ${message}`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function placeOf(source: string, offset: number): { line: number; column: number; excerpt: string } {
  const before = source.slice(0, offset).split('\n');
  const column = (before.at(-1) ?? '').length + 1;
  const text = source.split('\n')[before.length - 1] ?? '';
  const from = Math.max(0, column - 60);
  return { line: before.length, column, excerpt: `${text.slice(from, from + 100)}\n${' '.repeat(column - 1 - from)}^` };
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
