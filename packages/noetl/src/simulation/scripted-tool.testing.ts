import { failure } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import { stopped } from '../tools/answer.ts';
import type { ToolAnswer, ToolCall, ToolContext } from '../tools/define-tool.ts';
import type { Tools } from '../tools/registry.ts';
import type { SimulatedProcess } from './process.testing.ts';

/** Who keeps count of what tools really did, beside every log. */
export interface ToolWitness {
  /** The signal tells when it must stop. */
  begun(process: SimulatedProcess, call: ToolCall, signal: AbortSignal): void;
  ended(process: SimulatedProcess, call: ToolCall): void;
}

/** What the args of a task tell its tool to do. */
interface Script {
  readonly takes?: number;
  readonly fails?: number;
  readonly pages?: number;
  readonly bytes?: number;
  readonly gives?: Json;
  readonly header?: string;
}

/** Tools that do what the playbook tells them: what they give follows from where the task stands, and from nothing else. */
export function scriptedTools(process: SimulatedProcess, witness: ToolWitness): Tools {
  return {
    has: () => true,
    close: async () => undefined,
    call: async (call, context) => {
      const { signal } = context;
      if (signal.aborted) return stopped(signal, call.task.label);
      witness.begun(process, call, signal);
      try {
        return await run(call, context, process);
      } finally {
        if (process.state !== 'dead') witness.ended(process, call);
      }
    },
  };
}

async function run(call: ToolCall, { signal, log }: ToolContext, process: SimulatedProcess): Promise<ToolAnswer> {
  const script = (call.input.args ?? {}) as Script;
  await elapsed(script.takes ?? 0, signal, process);
  if (signal.aborted) return stopped(signal, call.task.label);
  await process.call({ operation: 'tool', what: `the tool of ${call.key}`, apply: async () => undefined });
  if (signal.aborted) return stopped(signal, call.task.label);
  if (script.header !== undefined) log('stdout', `sent ${written(script.header).join(' ')}\n`);
  if (call.attempt <= (script.fails ?? 0)) {
    const error = { ...failure('boom', `as told, with ${script.header ?? 'nothing'}`), retryable: true };
    return { status: 'error', result: null, error };
  }
  return { status: 'ok', result: resultOf(call, script) };
}

/** As programs write it into other texts. */
function written(header: string): readonly string[] {
  const bytes = Buffer.from(header);
  const encoded = (['base64', 'base64url', 'hex'] as const).map((encoding) => bytes.toString(encoding));
  return [header, JSON.stringify(header), encodeURIComponent(header), ...encoded];
}

function resultOf({ step, task, path, visit }: ToolCall, { gives, pages, bytes, header }: Script): Json {
  if (gives !== undefined) return gives;
  if (bytes !== undefined) return 'x'.repeat(bytes);
  const place = [step, task.label, ...path].join(' ');
  const told = header === undefined ? place : `${place} ${header}`;
  return pages === undefined ? told : { page: visit, told };
}

/** Waits, but no longer than until the call must stop. */
function elapsed(milliseconds: number, signal: AbortSignal, { clock }: SimulatedProcess): Promise<void> {
  if (milliseconds === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const cancel = clock.at(clock.now() + milliseconds, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    const stop = (): void => {
      cancel();
      resolve();
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}
