import type { ExitCode } from '../exit-code.ts';
import { toldFailure } from '../told-failure.ts';
import type { LogOptions, ProgramLog } from './program-log.ts';

/** Runs a program that stays. What ends it is an entry of its log too, where every line is to be JSON. */
export async function withLoggedFailure(
  { logFormat }: LogOptions,
  log: ProgramLog,
  run: () => Promise<ExitCode>,
): Promise<ExitCode> {
  if (logFormat !== 'json') return run();
  try {
    return await run();
  } catch (error) {
    const { text, exitCode } = toldFailure(error);
    log.complain(text);
    return exitCode;
  }
}
