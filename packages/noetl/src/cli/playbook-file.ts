import { type PlaybookReading, readPlaybook } from '@noetl/playbook';
import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-code.ts';
import type { Terminal } from './terminal.ts';

/** More bytes than the longest playbook has, whatever its characters. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Reads the playbook of a file, or of standard input for `-`. */
export async function readPlaybookFile(file: string, terminal: Terminal): Promise<PlaybookReading> {
  return readPlaybook(await readPlaybookText(file, terminal), { file: displayName(file) });
}

/** The text of a playbook that may be too long, or not valid at all. */
export const readPlaybookText = async (file: string, terminal: Terminal): Promise<string> =>
  decode(await read(file, terminal));

async function read(file: string, terminal: Terminal): Promise<Uint8Array> {
  try {
    return await terminal.readBytes(file, MAX_BYTES);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(EXIT.usage, `error: cannot read ${displayName(file)}: ${reason}`, { cause: error });
  }
}

/** What the user calls a file: standard input has no name of its own. */
export const displayName = (file: string): string => (file === '-' ? 'stdin' : file);

/**
 * Bytes that are not UTF-8 become U+FFFD, which no playbook may contain: the place of the first one is where the
 * diagnostic points.
 */
function decode(bytes: Uint8Array): string {
  // Where a long file was cut, half a character may be left.
  return new TextDecoder().decode(bytes, { stream: bytes.length > MAX_BYTES });
}
