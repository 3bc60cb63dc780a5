import { formatPretty, playbookToDot, playbookToMermaid } from '@noetl/playbook';
import { CommandFailure } from '../command-failure.ts';
import { EXIT } from '../exit-code.ts';
import { displayName, readPlaybookFile } from '../playbook-file.ts';
import { printable } from '../printable.ts';
import type { Terminal } from '../terminal.ts';

const DRAWERS = { mermaid: playbookToMermaid, dot: playbookToDot } as const;

export interface GraphOptions {
  /** A file, or `-`. */
  readonly file: string;
  readonly format: keyof typeof DRAWERS;
  readonly json: boolean;
}

/** `noetl graph`: prints the workflow of a playbook as a drawing. */
export async function graph({ file, format, json }: GraphOptions, terminal: Terminal): Promise<void> {
  const { playbook, diagnostics } = await readPlaybookFile(file, terminal);
  if (playbook === undefined) {
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    const shown = errors.map((diagnostic) => `${formatPretty(printable(diagnostic), false)}\n\n`);
    throw new CommandFailure(EXIT.invalid, `${shown.join('')}error: ${displayName(file)} is not a valid playbook`);
  }
  const text = DRAWERS[format](playbook);
  terminal.print(json ? `${JSON.stringify({ format, text })}\n` : text);
}
