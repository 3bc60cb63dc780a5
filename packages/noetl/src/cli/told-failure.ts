import { ServerProblem, ServerUnreachable } from '../client/server-error.ts';
import { StoreError } from '../ports/store-error.ts';
import { KeyProblem } from '../secrets/key-problem.ts';
import { CommandFailure } from './command-failure.ts';
import { EXIT, type ExitCode } from './exit-code.ts';

/** What a command that failed says last, and its exit code. */
export function toldFailure(error: unknown): { readonly text: string; readonly exitCode: ExitCode } {
  if (error instanceof CommandFailure) return { text: `${error.message}\n`, exitCode: error.exitCode };
  if (error instanceof ServerUnreachable) return { text: `error: ${error.message}\n`, exitCode: EXIT.unreachable };
  if (error instanceof ServerProblem) {
    const exitCode = error.status >= 500 ? EXIT.failed : EXIT.usage;
    return { text: `error: ${error.code}: ${error.message}\n`, exitCode };
  }
  if (error instanceof KeyProblem) return { text: `error: ${error.message}\n`, exitCode: EXIT.failed };
  if (error instanceof StoreError) return { text: `error: ${error.code}: ${error.message}\n`, exitCode: EXIT.failed };
  return { text: unexpected(error), exitCode: EXIT.failed };
}

/** A bug, or a file that somebody changed in a way that nobody looked for. */
const unexpected = (error: unknown): string => {
  const [what = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return `error: noetl met what it does not know how to go on from: ${what}\nIf files of the data folder were changed, 'noetl exec verify --all' says which. Otherwise this is a bug.\n`;
};
