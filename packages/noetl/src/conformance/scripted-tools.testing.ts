import { failure, type OutcomeError } from '@noetl/engine';
import type { Clock } from '../ports/clock.ts';
import type { ToolAnswer, ToolCall } from '../tools/define-tool.ts';
import type { ToolScript } from './case.testing.ts';

/** Tools that answer as the script of a case says. */
export function scriptedTools(scripts: readonly ToolScript[], clock: Clock) {
  return async (call: ToolCall, epoch: number): Promise<ToolAnswer> => {
    const script = scripts.find((candidate) => fits(candidate, call, epoch));
    if (script === undefined && call.task.kind !== 'noop') {
      throw new Error(
        `tools.yaml says nothing about ${call.step}.${call.task.label}, visit ${call.visit}, attempt ${call.attempt}`,
      );
    }
    const { takes = 0, dies = false } = script ?? {};
    if (takes > 0) await new Promise<void>((wake) => clock.at(clock.now() + takes * 1000, wake));
    // A killed worker answers nothing, ever.
    if (dies) await new Promise<never>(() => undefined);
    return answerOf(script, call);
  };
}

function fits(script: ToolScript, { task, step, visit, attempt, path }: ToolCall, epoch: number): boolean {
  const { iteration } = script;
  const wanted = iteration === undefined ? undefined : typeof iteration === 'number' ? [iteration] : iteration;
  return (
    (script.task ?? task.label) === task.label &&
    (script.step ?? step) === step &&
    (script.visit ?? visit) === visit &&
    (script.attempt ?? attempt) === attempt &&
    (script.epoch ?? epoch) === epoch &&
    (wanted === undefined || wanted.join() === path.join())
  );
}

function answerOf(script: ToolScript | undefined, { input }: ToolCall): ToolAnswer {
  const http = script?.http === undefined ? {} : { http: script.http };
  if (script?.error !== undefined) {
    return { status: 'error', result: script.ok ?? null, error: scriptedError(script.error), ...http };
  }
  if (script?.bytes !== undefined) return { status: 'ok', result: 'x'.repeat(script.bytes - 2), ...http };
  return { status: 'ok', result: script?.ok ?? (script === undefined ? (input.result ?? null) : null), ...http };
}

export const scriptedError = (error: Partial<OutcomeError>): OutcomeError => ({
  ...failure(error.kind ?? 'scripted', error.message ?? 'as the case says'),
  ...error,
});
