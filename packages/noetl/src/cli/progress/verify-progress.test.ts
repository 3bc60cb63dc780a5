import { describe, expect, it } from 'vitest';
import type { Terminal } from '../terminal.ts';
import { createVerifyProgress } from './verify-progress.ts';

/** A terminal of which only the parts for progress exist. */
function watching(watched: boolean) {
  const seen = { now: 0, written: '' };
  const terminal = {
    watched,
    watchedInColor: false,
    columns: 60,
    elapsed: () => seen.now,
    complain: (text: string) => {
      seen.written += text;
    },
  } as Terminal;
  return { seen, progress: createVerifyProgress(terminal) };
}

describe('the progress of a verification', () => {
  it('is drawn on one line for who watches, and taken away at the end', () => {
    const { seen, progress } = watching(true);
    progress.begin('e', 1_000_000);
    progress.seen(5_000);
    expect(seen.written).toBe('');
    seen.now = 1_000;
    progress.seen(120_000);
    expect(seen.written).toContain('verifying e: 120,000 of 1,000,000 events, 120,000/s');
    seen.written = '';
    progress.pause();
    expect(seen.written).toContain('\u001b[1A');
    expect(seen.written).not.toContain('verifying');
  });

  it('is nothing for anybody else', () => {
    const { seen, progress } = watching(false);
    progress.begin('e', 10);
    seen.now = 1_000;
    progress.seen(5);
    progress.close();
    expect(seen.written).toBe('');
  });
});
