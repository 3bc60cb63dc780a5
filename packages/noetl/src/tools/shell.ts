import { resolve } from 'node:path';
import type { Json, JsonMap, Templated } from '@noetl/playbook';
import type { RunOptions, Scope } from '@noetl/template';
import { failed } from './answer.ts';
import { BindProblem, type BoundPiece, bindTemplate } from './bind-template.ts';
import { textOf } from './checked-fields.ts';
import { defineTool, type Tool, type ToolCall } from './define-tool.ts';
import { processAnswer } from './process/process-answer.ts';
import type { ProcessGroups } from './process/process-groups.ts';
import { ShellProblem, type ShellText, shellText } from './process/shell-words.ts';

/** A program with its arguments, or lines of sh of which the first that fails is the last. */
export const shellTool = (groups: ProcessGroups, outputLimit: number): Tool =>
  defineTool({
    kind: 'shell',
    run: async (call, context) => {
      const { input, task } = call;
      const common = { cwd: folderOf(input, context.folder), stdin: '', outputLimit };
      const env = variablesOf(input);
      if (input.cmds === undefined) {
        const [program = '', ...args] = (input.command as readonly Json[]).map(textOf);
        return processAnswer(groups, { ...common, program, args, env }, call, context);
      }
      const lines = boundLines(call);
      if ('problem' in lines) {
        return failed('task.field', `'cmds' of the task '${task.label}': ${lines.problem}`, {
          details: { field: 'cmds' },
        });
      }
      const program = { program: 'sh', args: ['-e', '-c', lines.text], env: { ...env, ...lines.variables } };
      return processAnswer(groups, { ...common, ...program }, call, context);
    },
  });

/** Relative folders start where the playbook is; without one, programs run where the worker runs. */
export const folderOf = ({ cwd }: JsonMap, folder: string): string | undefined =>
  typeof cwd === 'string' ? resolve(folder, cwd) : undefined;

export const variablesOf = ({ env }: JsonMap): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries((env ?? {}) as JsonMap).map(([name, value]) => [name, textOf(value)]));

/** The lines from the task itself: in the input, their templates are already a part of the text. */
function boundLines({ task, scope, evaluation }: ToolCall): ShellText | { readonly problem: string } {
  const { cmds } = task.fields;
  try {
    return shellText(cmds === undefined ? [] : linesOf(cmds).map((line) => piecesOf(line, scope, evaluation)));
  } catch (error) {
    if (!(error instanceof BindProblem || error instanceof ShellProblem)) throw error;
    return { problem: error.message };
  }
}

function linesOf(data: Templated): readonly Templated[] {
  if (data.kind === 'list') return data.items;
  if (data.kind !== 'literal' || !Array.isArray(data.value)) return [data];
  return data.value.map((value: Json) => ({ kind: 'literal', value }));
}

function piecesOf(line: Templated, scope: Scope, evaluation: RunOptions | undefined): readonly BoundPiece[] {
  if (line.kind === 'literal') return [{ text: textOf(line.value) }];
  if (line.kind === 'template') return bindTemplate(line.template, scope, evaluation);
  throw new BindProblem('a line is text, not a list or mapping.');
}
