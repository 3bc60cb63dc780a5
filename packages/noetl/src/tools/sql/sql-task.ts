import { attempt, isTooDeep, render, tooDeepMessage } from '@noetl/engine';
import type { Json, JsonMap, Templated } from '@noetl/playbook';
import { TemplateError } from '@noetl/template';
import { failed } from '../answer.ts';
import { BindProblem, type BoundPiece, bindTemplate } from '../bind-template.ts';
import { isMap, textOf, unfit } from '../checked-fields.ts';
import type { ToolAnswer, ToolCall } from '../define-tool.ts';
import { type BoundStatement, boundStatements, type FileAt, type Params } from './bound-statement.ts';
import type { SqlDialect } from './sql-dialect.ts';
import { SqlProblem } from './sql-problem.ts';
import { sqlText } from './sql-text.ts';

export type SqlTask = { readonly statements: readonly BoundStatement[] } | { readonly answer: ToolAnswer };

const FIELDS = ['command', 'query', 'commands'] as const;

/** The statements of a task, with the values of its templates bound. */
export function sqlTask(call: ToolCall, dialect: SqlDialect, fileAt?: FileAt): SqlTask {
  const { task, input } = call;
  const field = FIELDS.find((name) => task.fields[name] !== undefined) ?? 'command';
  const params = paramsOf(input);
  if (params === null) return { answer: unfit(task.label, 'params', input.params ?? null, 'a list or a mapping') };
  const unfitParam = Object.values(params ?? {})
    .map(unsuitableText)
    .find((problem) => problem !== undefined);
  if (unfitParam !== undefined) {
    return {
      answer: failed('task.field', `'params' of the task '${task.label}': ${unfitParam}`, {
        details: { field: 'params' },
      }),
    };
  }
  const texts = textsOf(task.fields[field]);
  const statements: BoundStatement[] = [];
  for (const [i, text] of texts.entries()) {
    const what =
      texts.length > 1
        ? `'${field}', item ${i + 1}, of the task '${task.label}'`
        : `'${field}' of the task '${task.label}'`;
    const refused = (message: string): SqlTask => ({
      answer: failed('task.field', `${what}: ${message}`, { details: { field } }),
    });
    try {
      const bound = attempt(() => piecesOf(text, call));
      if ('error' in bound) return { answer: { status: 'error', result: null, error: bound.error } };
      const unsuitable = bound.value.map((piece) => ('value' in piece ? unsuitableText(piece.value) : undefined));
      const problem = unsuitable.find((found) => found !== undefined);
      if (problem !== undefined) return refused(problem);
      statements.push(...boundStatements(sqlText(bound.value), params, dialect, fileAt));
    } catch (error) {
      if (!(error instanceof BindProblem || error instanceof SqlProblem)) throw error;
      return refused(error.message);
    }
  }
  if (statements.length > 0) return { statements };
  return {
    answer: failed('task.field', `'${field}' of the task '${task.label}' holds no statement.`, { details: { field } }),
  };
}

/** Null if they are neither a list nor a mapping. */
function paramsOf({ params }: JsonMap): Params | null {
  if (params === undefined || params === null) return undefined;
  return Array.isArray(params) || isMap(params) ? ((params as Params) ?? null) : null;
}

function textsOf(data: Templated | undefined): readonly Templated[] {
  if (data === undefined) return [];
  if (data.kind === 'list') return data.items;
  if (data.kind !== 'literal' || !Array.isArray(data.value)) return [data];
  return data.value.map((value: Json) => ({ kind: 'literal', value }));
}

function piecesOf(text: Templated, { scope, evaluation = {} }: ToolCall): readonly BoundPiece[] {
  if (text.kind === 'literal') return [{ text: textOf(text.value) }];
  if (text.kind !== 'template') throw new SqlProblem('a statement is text, not a list or mapping.');
  try {
    return bindTemplate(text.template, scope, evaluation);
  } catch (error) {
    // The template as it is written knows the place of the same mistake.
    if (error instanceof TemplateError) render(text, scope, evaluation);
    throw error;
  }
}

/** What no database takes as text. */
function unsuitableText(value: Json): string | undefined {
  if (isTooDeep(value)) return tooDeepMessage('what a template gives');
  const texts: readonly Json[] = Array.isArray(value) ? value : [value];
  // JSON escapes them by itself.
  return texts.some((text) => typeof text === 'string' && /\p{Surrogate}/u.test(text))
    ? 'a value holds half of a character (a lone surrogate), which has no form in UTF-8.'
    : undefined;
}
