import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Json, JsonMap } from '@noetl/playbook';
import { failed, ok, stopped } from '../answer.ts';
import { textOf, unfit } from '../checked-fields.ts';
import { defineTool, type Tool, type ToolAnswer, type ToolCall } from '../define-tool.ts';
import type { ToolLimits } from '../tool-host.ts';
import { codeLimitsOf, overCpu } from '../warm/code-limits.ts';
import { codeMessage, codeName, placesOf, type WrittenCode } from '../warm/code-places.ts';
import type { Pools } from '../warm/pools.ts';
import type { WarmEnd } from '../warm/warm-process.ts';
import { JAVASCRIPT_DRIVER } from './javascript-driver.ts';

const MIB = 1024 * 1024;
const FLAGS = [
  // Code that was read as text may import modules, from where the task says.
  '--experimental-vm-modules',
  '--experimental-import-meta-resolve',
  // Warnings of Node about itself are no output of the task.
  '--disable-warning=ExperimentalWarning',
];

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
      const problem = typeof libs === 'string' ? libsProblem(libs, folder, file) : undefined;
      if (problem !== undefined) {
        return failed('task.field', `'libs' of the task '${task.label}': ${problem}`, { details: { field: 'libs' } });
      }
      if (typeof file === 'string' && !existsSync(resolve(folder, file))) {
        return failed('task.field', `'file' of the task '${task.label}': there is no file '${file}'.`);
      }
      const { memoryBytes, cpuSeconds } = codeLimitsOf(call.spec, limits);
      const memory = `--max-old-space-size=${Math.ceil(memoryBytes / MIB)}`;
      const pool = pools.get({
        program: node,
        args: [memory, ...FLAGS, '-e', JAVASCRIPT_DRIVER],
        settings: JSON.stringify({ memory: memoryBytes, log: limits.logBytes, result: limits.resultBytes }),
        env: environment,
        cwd: undefined,
      });
      const request = JSON.stringify({ ...requestOf(call, written, folder), cpu: cpuSeconds ?? 0 });
      const end = await pool.call({ request, signal, log });
      if (end.kind === 'died' && end.signal === 'SIGXCPU' && cpuSeconds !== undefined) {
        return overCpu('javascript.cpu', task.label, cpuSeconds);
      }
      return answerOf(end, written, signal);
    },
    close: () => pools.close(),
  });

function libsProblem(libs: string, folder: string, file: Json | undefined): string | undefined {
  const modules = join(resolve(folder, libs), 'node_modules');
  if (!existsSync(modules)) return `there is no folder '${modules}'; npm install in '${libs}' makes it.`;
  if (typeof file !== 'string' || !file.endsWith('.mjs')) return undefined;
  return `'${file}' is a module, and finds others only from its own folder; leave libs out, or name the file .js.`;
}

function requestOf({ input, key, traceparent }: ToolCall, written: WrittenCode, folder: string): JsonMap {
  const { code, file, entry, args, libs } = input;
  return {
    ...(typeof code === 'string' ? { code, ...codeName(written) } : { name: resolve(folder, textOf(file ?? null)) }),
    ...(typeof libs === 'string' ? { libs: resolve(folder, libs) } : {}),
    folder,
    entry: entry ?? 'main',
    entry_given: entry !== undefined,
    args: args ?? {},
    key,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
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
  if (/heap out of memory|noetl: memory is over its limit/.test(stderr)) return 'its memory was full.';
  if (code === null && signal === null) return stderr === '' ? 'it has ended.' : `${stderr}.`;
  if (signal !== null) return `it was ended by ${signal}.`;
  return `it exited with code ${code}; return from main instead, or throw an error.`;
}
