import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openGuideTerminal } from './guide-terminal.testing.ts';
import { built, root } from './program.testing.ts';
import { scenesOf } from './transcript.testing.ts';

const guides = readdirSync(join(root, 'docs/guides')).filter((name) => name.endsWith('.md') && name !== 'README.md');

describe('the guides', () => {
  it.each(guides)('%s shows what happens', { timeout: 300_000 }, async (guide) => {
    built();
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'noetl-guide-')));
    const terminal = openGuideTerminal(folder);
    try {
      for (const scene of scenesOf(readFileSync(join(root, 'docs/guides', guide), 'utf8'))) {
        const mistake = await terminal.play(scene);
        if (mistake === undefined) continue;
        const { line, command, shown, printed } = mistake;
        expect(printed, `docs/guides/${guide}:${line}: $ ${command}`).toBe(shown);
      }
    } finally {
      await terminal.close();
      rmSync(folder, { recursive: true });
    }
  });
});
