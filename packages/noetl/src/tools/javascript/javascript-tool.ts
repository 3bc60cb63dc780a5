import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { JsonMap } from '@noetl/playbook';
import { failed, ok, stopped } from '../answer.ts';
import { textOf, unfit } from '../checked-fields.ts';
import { defineTool, type Tool, type ToolAnswer, type ToolCall } from '../define-tool.ts';
import type { ToolLimits } from '../tool-host.ts';
import { codeMessage, codeName, placesOf, type WrittenCode } from '../warm/code-places.ts';
import type { Pools } from '../warm/pools.ts';
import type { WarmEnd } from '../warm/warm-process.ts';
import { JAVASCRIPT_DRIVER } from './javascript-driver.ts';

const MIB = 1024 * 1024;

/** JavaScript in Node processes of its own, never in that of the worker. */
export const javascriptTool = (pools: Pools, node: string, limits: ToolLimits): Tool =>
  defineTool({
    kind: 'javascript',
    run: async (call, { folder, playbook, environment, signal, log }) => {
      const { input, task } = call;
      const written: WrittenCode = { label: task.label, at: task.codeAt, playbook };
      const { libs, file } = input;
      if (libs !== undefined && libs !== null && typeof libs !== 'string') {
        return unfit(task.label, 'libs', libs, 'the folder with the modules');
      }
      if (typeof file === 'string' && !existsSync(resolve(folder, file))) {
        return failed('task.field', `'file' of the task '${task.label}': there is no file '${file}'.`);
      }
      const limit = JSON.stringify({ log: limits.logBytes, result: limits.resultBytes });
      const memory = `--max-old-space-size=${Math.round(limits.memoryBytes / MIB)}`;
      const pool = pools.get({
        program: node,
        // Warnings of Node about itself are no output of the task.
        args: [memory, '--disable-warning=ExperimentalWarning', '-e', JAVASCRIPT_DRIVER, limit],
        env: environment,
        cwd: undefined,
      });
      return answerOf(await pool.call({ request: requestOf(call, written, folder), signal, log }), written, signal);
    },
    close: () => pools.close(),
  });

function requestOf({ input, key }: ToolCall, written: WrittenCode, folder: string): string {
  const { code, file, entry, args, libs } = input;
  return JSON.stringify({
    ...(typeof code === 'string' ? { code, ...codeName(written) } : { name: resolve(folder, textOf(file ?? null)) }),
    ...(typeof libs === 'string' ? { libs: resolve(folder, libs) } : {}),
    folder,
    entry: entry ?? 'main',
    entry_given: entry !== undefined,
    args: args ?? {},
    key,
  });
}

function answerOf(end: WarmEnd, written: WrittenCode, signal: AbortSignal): ToolAnswer {
  const { label } = written;
  switch (end.kind) {
    case 'answer':
      return 'result' in end.answer ? ok(end.answer.result ?? null) : exceptionAnswer(end.answer, written);
    case 'stopped':
      return stopped(signal, label);
    case 'too-large':
      return failed('result.size', `the result of the task '${label}' is too large; write it to a file.`);
    case 'unstartable':
      return failed('process.spawn', `the task '${label}' could not start Node: ${end.error.message}`);
    case 'died':
      return failed('javascript.crash', `the process ended in the middle of the task '${label}': ${deathOf(end)}`, {
        details: { exit_code: end.code, signal: end.signal, stderr: end.stderr },
      });
  }
}

function exceptionAnswer(answer: JsonMap, written: WrittenCode): ToolAnswer {
  const { label } = written;
  const message = textOf(answer.message ?? null);
  const { kind } = answer;
  if (kind === 'result.json' || kind === 'result.size' || kind === 'task.field') {
    return failed(kind, `the task '${label}': ${message}`);
  }
  const type = textOf(answer.type ?? null);
  const places = placesOf(answer.places);
  return failed('javascript.exception', codeMessage(`${type}: ${message}`, places, written), {
    details: { exception_type: type, traceback: places.map((place) => ({ ...place })) },
  });
}

function deathOf({ code, signal, stderr }: Extract<WarmEnd, { kind: 'died' }>): string {
  if (/heap out of memory/.test(stderr)) return 'its memory was full.';
  if (code === null && signal === null) return stderr === '' ? 'it has ended.' : `${stderr}.`;
  if (signal !== null) return `it was ended by ${signal}.`;
  return `it exited with code ${code}; return from main instead, or throw an error.`;
}
