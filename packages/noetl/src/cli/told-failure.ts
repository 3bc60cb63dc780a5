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
    // What a server refuses in the words of a command has no code there either.
    const code = error.code === 'NOETL_API_REFUSED' ? '' : `${error.code}: `;
    return { text: `error: ${code}${error.message}\n`, exitCode: exitCodeOf(error) };
  }
  if (error instanceof KeyProblem) return { text: `error: ${error.message}\n`, exitCode: EXIT.failed };
  if (error instanceof StoreError) return { text: `error: ${error.code}: ${error.message}\n`, exitCode: EXIT.failed };
  return { text: unexpected(error), exitCode: EXIT.failed };
}

/** As the command would end on a folder: what was asked wrongly is a matter of usage, what cannot be done now has failed. */
function exitCodeOf({ status, code }: ServerProblem): ExitCode {
  if (code === 'NOETL_API_PLAYBOOK_INVALID') return EXIT.invalid;
  return status >= 500 || CANNOT_NOW.has(status) ? EXIT.failed : EXIT.usage;
}

const CANNOT_NOW: ReadonlySet<number> = new Set([409, 410, 429]);

/** A bug, or a file that somebody changed in a way that nobody looked for. */
const unexpected = (error: unknown): string => {
  const [what = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return `error: noetl met what it does not know how to go on from: ${what}\nIf files of the data folder were changed, 'noetl exec verify --all' says which. Otherwise this is a bug.\n`;
};
