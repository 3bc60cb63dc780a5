import type { Payload } from '@noetl/engine';
import type { DataFolder } from './data-folder.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { printResult } from './result-output.ts';
import type { Terminal } from './terminal.ts';

/** Prints what an execution came to, for who did not ask for its events, and answers with the exit code. */
export async function finish(
  { status, result }: Pick<Payload<'playbook.processed'>, 'status' | 'result'>,
  { output, data }: { readonly output: 'progress' | 'json' | 'quiet'; readonly data: DataFolder },
  terminal: Terminal,
): Promise<ExitCode> {
  if (output !== 'json' && status === 'success' && result !== null) {
    await printResult(result, { json: false }, data, terminal);
  }
  return status === 'success' ? EXIT.ok : status === 'cancelled' ? EXIT.cancelled : EXIT.failed;
}
