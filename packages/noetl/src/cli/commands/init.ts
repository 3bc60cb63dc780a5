import { CommandFailure } from '../command-failure.ts';
import { EXIT } from '../exit-code.ts';
import { STARTERS } from '../starters/starters.ts';
import type { Terminal } from '../terminal.ts';

export interface InitOptions {
  /** The name of the playbook, or of its file. */
  readonly name: string;
  readonly template: keyof typeof STARTERS;
  /** Whether a file of that name may be replaced. */
  readonly force: boolean;
  readonly json: boolean;
}

/** `noetl init`: writes a playbook to start from into the working directory. */
export async function init({ name, template, force, json }: InitOptions, terminal: Terminal): Promise<void> {
  const playbook = name.replace(/\.ya?ml$/i, '');
  if (!/^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]{0,99}$/u.test(playbook)) {
    throw new CommandFailure(
      EXIT.usage,
      `error: '${name}' cannot be the name of a playbook; use up to 100 letters, digits, '_', '-' and '.'`,
    );
  }
  const file = playbook === name ? `${name}.yaml` : name;
  await write(file, STARTERS[template](quoteName(playbook)), force, terminal);
  if (json) terminal.print(`${JSON.stringify({ file })}\n`);
  else terminal.print(`wrote ${file}\n\nCheck it:  noetl validate ${file}\nDraw it:   noetl graph ${file}\n`);
}

async function write(file: string, text: string, force: boolean, terminal: Terminal): Promise<void> {
  let written: boolean;
  try {
    written = await terminal.write(file, text, { replace: force });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(EXIT.failed, `error: cannot write ${file}: ${reason}`, { cause: error });
  }
  if (!written) {
    throw new CommandFailure(EXIT.usage, `error: ${file} exists; choose another name, or replace it with --force`);
  }
}

/** The name as YAML that stays text: `2026`, `1.0` and `true` would not. */
function quoteName(name: string): string {
  const isWord = /^[A-Za-z_][\w.-]*$/.test(name) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(name);
  return isWord ? name : `"${name}"`;
}
