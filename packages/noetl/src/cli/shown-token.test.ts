import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { shownToken } from './shown-token.ts';
import { thisMachine } from './this-machine.ts';

const workingFolder = mkdtempSync(join(tmpdir(), 'noetl-token-'));
const shown = (environment: Readonly<Record<string, string>>) =>
  shownToken({ ...thisMachine, environment, workingFolder });

describe('the token that commands show', () => {
  afterEach(() => rmSync(join(workingFolder, 'token'), { force: true }));

  it('is that of NOETL_TOKEN, or what a file holds, without the end of the line', () => {
    expect(shown({})).toBeUndefined();
    expect(shown({ NOETL_TOKEN: 'noetl_a\n' })).toBe('noetl_a');
    writeFileSync(join(workingFolder, 'token'), 'noetl_b\n');
    expect(shown({ NOETL_TOKEN_FILE: 'token' })).toBe('noetl_b');
  });

  it('is not shown where it cannot be one', () => {
    expect(() => shown({ NOETL_TOKEN: 'two\nlines' })).toThrow(
      /^error: NOETL_TOKEN holds characters that no token has\.$/,
    );
    writeFileSync(join(workingFolder, 'token'), 'two\nlines');
    expect(() => shown({ NOETL_TOKEN_FILE: 'token' })).toThrow(/'token', which holds characters that no token has\.$/);
  });
});
