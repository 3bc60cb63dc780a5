import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are missing; answers with the topmost that was made. Node's own way of doing so
 * tries for ever where a folder is there that takes no others, such as /proc.
 */
export async function makeFolder(folder: string): Promise<string | undefined> {
  try {
    await mkdir(folder);
    return folder;
  } catch (error) {
    const above = dirname(folder);
    if (codeOf(error) !== 'ENOENT' || above === folder || (await isFolder(above))) {
      if (await isFolder(folder)) return undefined;
      throw error;
    }
    const topmost = await makeFolder(above);
    await mkdir(folder).catch((again: unknown) => {
      // Another process may be faster.
      if (codeOf(again) !== 'EEXIST') throw again;
    });
    return topmost ?? folder;
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
