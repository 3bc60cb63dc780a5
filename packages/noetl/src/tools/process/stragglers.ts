import { readdirSync, readFileSync } from 'node:fs';

/** Rounds in which something may still appear: whoever goes on starting processes is not chased for ever. */
const ROUNDS = 5;

/**
 * Ends processes that left the group of the one that started them, and so did not end with it. What they inherited tells
 * where they come from, on systems that show it (Linux); elsewhere nothing is found.
 */
export function endStragglers(mark: string, kill: (pid: number, signal: NodeJS.Signals) => void): void {
  for (let round = 0; round < ROUNDS; round++) {
    const found = processesWith(mark);
    if (found.length === 0) return;
    for (const pid of found) {
      try {
        kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
  }
}

function processesWith(mark: string): readonly number[] {
  return entriesOf('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    try {
      return readFileSync(`/proc/${name}/environ`).includes(mark) ? [pid] : [];
    } catch {
      // It has ended, or belongs to somebody else.
      return [];
    }
  });
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
