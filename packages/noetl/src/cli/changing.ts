import { type DataFolder, dataFolderPath, openDataFolder } from './data-folder.ts';
import type { Machine } from './machine.ts';
import { namedServer } from './place.ts';
import { systemClock } from './system-clock.ts';

/** Opens a data folder, or a server, for a short change, making the folder if need be. */
export async function changing<T>(
  data: string | undefined,
  machine: Machine,
  body: (folder: DataFolder) => Promise<T>,
): Promise<T> {
  const folder =
    namedServer(data, machine) ?? (await openDataFolder(dataFolderPath(data, machine), systemClock, 'change', machine));
  try {
    return await body(folder);
  } finally {
    await folder.close();
  }
}
