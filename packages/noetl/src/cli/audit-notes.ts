import type { Audit, AuditNote } from '../ports/audit.ts';
import type { DataFolder } from './data-folder.ts';
import type { Machine } from './machine.ts';

interface CollectedNotes {
  note(note: AuditNote): void;
  flush(): Promise<void>;
}

/** Notes are kept in their order; nobody who is answered waits for that. What cannot be kept is told. */
export function collectedNotes(audit: Audit, tell: (text: string) => void): CollectedNotes {
  let waiting: AuditNote[] = [];
  let kept: Promise<void> | undefined;

  async function keep(): Promise<void> {
    while (waiting.length > 0) {
      const notes = waiting;
      waiting = [];
      await audit.note(notes).catch((error: Error) => tell(`error: the audit log cannot be written: ${error.message}`));
    }
    kept = undefined;
  }

  return {
    note(note) {
      waiting.push(note);
      kept ??= keep();
    },
    flush: async () => kept,
  };
}

/** What a command changed on a folder by its user. */
export const noteCommand = (
  command: string,
  { store }: Pick<DataFolder, 'store'>,
  at: number,
  { user }: Pick<Machine, 'user'>,
): Promise<void> => store.audit.note([{ at, by: user, from: undefined, what: `noetl ${command}`, status: undefined }]);
