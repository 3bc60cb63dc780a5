import { open } from 'node:fs/promises';
import { platform } from 'node:os';

/** Makes sure that the names in a folder survive a loss of power. Windows has no way to do so, and does without. */
export async function syncFolder(folder: string): Promise<void> {
  if (platform() === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
