import { type Note, type Original, type PlaybookReading, readPlaybook } from '@noetl/playbook';
import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-code.ts';
import type { Terminal } from './terminal.ts';
import { reviewsOf, upgradedPlaybook } from './upgraded-playbook.ts';
import { reviewText } from './views/migration.ts';

/** More bytes than the longest playbook has, whatever its characters. */
const MAX_BYTES = 4 * 1024 * 1024;

/** A playbook that was read. Every place is one of its author's text. */
export interface ReadText extends PlaybookReading {
  /** What runs. */
  readonly text: string;
  /** What it was translated from, if it was. */
  readonly original: Original | undefined;
  /** What the author should look at in the translation. */
  readonly reviews: readonly Note[];
}

/** Reads the playbook of a file, or of standard input for `-`. */
export async function readPlaybookFile(file: string, terminal: Terminal, legacy = false): Promise<ReadText> {
  return readText(await readPlaybookText(file, terminal), displayName(file), legacy);
}

/** MIG-2: `legacy` upgrades an older playbook on the way in. */
export function readText(text: string, file: string, legacy: boolean): ReadText {
  if (!legacy) return { ...readPlaybook(text, { file }), text, original: undefined, reviews: [] };
  const { playbook, diagnostics, migration } = upgradedPlaybook(text, file);
  const original = migration.text === text ? undefined : { text, origins: migration.origins };
  return { playbook, diagnostics, text: migration.text, original, reviews: reviewsOf(migration) };
}

export function warnOfReviews({ reviews }: Pick<ReadText, 'reviews'>, file: string, terminal: Terminal): void {
  for (const note of reviews) terminal.complain(reviewText(displayName(file), note, terminal.watchedInColor));
}

/** The text of a playbook that may be too long, or not valid at all. A byte order mark is kept only if asked. */
export const readPlaybookText = async (
  file: string,
  terminal: Terminal,
  { keepMark = false }: { readonly keepMark?: boolean } = {},
): Promise<string> => decode(await read(file, terminal), keepMark);

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
function decode(bytes: Uint8Array, ignoreBOM: boolean): string {
  // Where a long file was cut, half a character may be left.
  return new TextDecoder('utf-8', { ignoreBOM }).decode(bytes, { stream: bytes.length > MAX_BYTES });
}
