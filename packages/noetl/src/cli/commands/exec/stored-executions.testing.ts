import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionEvent } from '@noetl/engine';
import { openDataFolder } from '../../data-folder.ts';
import { type Ending, type Files, noetl } from '../../scripted-terminal.testing.ts';
import { systemClock } from '../../system-clock.ts';
import type { Recording } from '../../views/recorded.testing.ts';

/** A data folder with recorded executions, and commands that look at it. */
export interface StoredExecutions {
  readonly folder: string;
  /** Keeps an execution under an id, with its playbook. */
  keep(id: string, recording: Recording): Promise<void>;
  /** Appends events as they are. */
  append(id: string, events: readonly ExecutionEvent[]): Promise<void>;
  /** `noetl exec …` on the folder. */
  exec(args: readonly string[], options?: { readonly color?: boolean; readonly files?: Files }): Promise<Ending>;
  close(): Promise<void>;
}

export function openStoredExecutions(): StoredExecutions {
  const folder = mkdtempSync(join(tmpdir(), 'noetl-exec-'));

  // Others look at the folder while this one has it open, as beside a process that runs executions.
  const opened = openDataFolder(folder, systemClock, 'run');

  async function append(id: string, events: readonly ExecutionEvent[]): Promise<void> {
    const { log } = (await opened).store;
    await log.append([{ execution: id, expected: await log.position(id), events, under: [], unclaimed: [] }]);
  }

  return {
    folder,
    append,
    async keep(id, { events, text }) {
      const contentHash = createHash('sha256').update(text).digest('hex');
      await (await opened).store.catalog.register('demo/weather', text, contentHash, 0);
      await append(
        id,
        events.map((event) => renamed(event, id, contentHash)),
      );
    },
    exec: (args, { color = false, files = {} } = {}) =>
      noetl(['exec', ...args, '--data', folder], Object.assign(files, { [join(folder, 'noetl.db')]: '' }), { color }),
    async close() {
      await (await opened).store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Recordings are of the execution `e`. */
function renamed(event: ExecutionEvent, id: string, content_hash: string): ExecutionEvent {
  const own: ExecutionEvent = JSON.parse(JSON.stringify(event), (_, value) =>
    typeof value === 'string' ? value.replace(/^e(?=[:-]\d|$)/, id) : value,
  );
  return own.name === 'playbook.execution.requested' ? { ...own, payload: { ...own.payload, content_hash } } : own;
}
