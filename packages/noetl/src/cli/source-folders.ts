import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../sync-folder.ts';

/** Where the files of playbooks are, by the content of each playbook. */
export interface SourceFolders {
  of(contentHash: string): Promise<string | undefined>;
  keep(contentHash: string, source: string): Promise<void>;
}

/** Who reads while others write finds what was there before, or what is new: never a part. */
export function openSourceFolders(folder: string): SourceFolders {
  const of: SourceFolders['of'] = (contentHash) => readFile(join(folder, contentHash), 'utf8').catch(() => undefined);
  return {
    of,
    async keep(contentHash, source) {
      if ((await of(contentHash)) === source) return;
      await mkdir(folder, { recursive: true });
      const draft = join(folder, `${contentHash}.${randomBytes(6).toString('hex')}`);
      try {
        await writeFile(draft, source, { flush: true });
        await rename(draft, join(folder, contentHash));
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
      await syncFolder(folder);
    },
  };
}
