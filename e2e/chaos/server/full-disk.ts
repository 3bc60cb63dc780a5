import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mountSmallDisk } from '../../../packages/noetl/src/stores/sqlite/small-disk.testing.ts';

/** A disk of its own for a data folder, that can be full. */
export interface FullDisk {
  fill(): void;
  free(): void;
  remove(): void;
}

const MEGABYTES = 1_024;
const MEGABYTE = 1024 * 1024;
const PIECE = 64 * 1024;

/** Needs root, and that mounting is allowed. */
export function openFullDisk(folder: string): FullDisk {
  mkdirSync(folder, { recursive: true });
  const disk = mountSmallDisk(folder, MEGABYTES);
  const balloon = join(folder, 'balloon');
  // Also if the run is broken off.
  process.once('exit', disk.remove);
  return {
    fill() {
      const { blocks, bfree, bsize } = statfsSync(folder);
      disk.resize(Math.ceil(((blocks - bfree) * bsize) / MEGABYTE) + 1);
      for (let bytes = PIECE; bytes >= 4_096; bytes /= 2) while (grows(balloon, bytes));
    },
    free() {
      rmSync(balloon, { force: true });
      disk.resize(MEGABYTES);
    },
    remove() {
      process.off('exit', disk.remove);
      disk.remove();
    },
  };
}

/** False when there is no space left. */
function grows(file: string, bytes: number): boolean {
  try {
    writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
