import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of a few megabytes, to be filled and write-protected. */
export interface SmallDisk {
  resize(megabytes: number): void;
  protect(): void;
  remove(): void;
}

/** Over an empty folder. Needs root, and that mounting is allowed: see `SMALL_DISKS`. */
export function mountSmallDisk(folder: string, megabytes: number): SmallDisk {
  run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder);
  return {
    resize: (size) => run('mount', '-o', `remount,size=${size}m`, folder),
    protect: () => run('mount', '-o', 'remount,ro', folder),
    remove: () => run('umount', '-l', folder),
  };
}

function run(command: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}

function probe(): boolean {
  if (process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), 'noetl-disk-'));
  try {
    mountSmallDisk(folder, 1).remove();
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}

/** Whether this machine lets us have small disks. */
export const SMALL_DISKS = probe();
