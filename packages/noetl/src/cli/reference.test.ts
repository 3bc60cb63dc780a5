import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { noetl } from './scripted-terminal.testing.ts';

const reference = readFileSync(new URL('../../../../docs/reference/cli.md', import.meta.url), 'utf8');

describe('the command reference', () => {
  it('shows the help of every command, word for word, and no other', async () => {
    const main = (await noetl(['--help'])).stdout;
    const helps = await Promise.all(commandsOf(main).map((name) => helpsOf([name])));
    const shown = [...reference.matchAll(/```text\n(Usage:.*?)```/gs)].map(([, text]) => text);
    expect(shown).toEqual([main, ...helps.flat()]);
  });
});

/** The help of a command, and of those below it. */
async function helpsOf(command: readonly string[]): Promise<readonly string[]> {
  const help = (await noetl([...command, '--help'])).stdout;
  const below = await Promise.all(commandsOf(help).map((name) => helpsOf([...command, name])));
  return [help, ...below.flat()];
}

function commandsOf(help: string): readonly string[] {
  const [, listed = ''] = help.split('\nCommands:\n');
  return [...listed.matchAll(/^ {2}(\w+) /gm)].map(([, name = '']) => name).filter((name) => name !== 'help');
}
