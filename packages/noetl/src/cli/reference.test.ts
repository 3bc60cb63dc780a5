import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { noetl } from './scripted-terminal.testing.ts';

const reference = readFileSync(new URL('../../../../docs/reference/cli.md', import.meta.url), 'utf8');

describe('the command reference', () => {
  it('shows the help of every command, word for word, and no other', async () => {
    const main = (await noetl(['--help'])).stdout;
    const commands = [...main.matchAll(/^ {2}(\w+) /gm)].map(([, name = '']) => name).filter((name) => name !== 'help');
    const helps = await Promise.all(commands.map(async (name) => (await noetl([name, '--help'])).stdout));
    const shown = [...reference.matchAll(/```text\n(Usage:.*?)```/gs)].map(([, text]) => text);
    expect(shown).toEqual([main, ...helps]);
  });
});
