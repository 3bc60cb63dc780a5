import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILE = 'leases.key';
const LENGTH = 32;

/** What capabilities of leases are made with, kept in the data folder: workers go on when their server starts again. */
export async function leaseKeyOf(folder: string, pid: number): Promise<Uint8Array> {
  const path = join(folder, FILE);
  const known = await readFile(path).catch(() => undefined);
  if (known?.length === LENGTH) return known;
  const draft = `${path}.${pid}`;
  await rm(path, { force: true });
  await writeFile(draft, randomBytes(LENGTH), { mode: 0o600 });
  // Whoever was first has made it.
  await link(draft, path).catch(() => undefined);
  await rm(draft, { force: true });
  return readFile(path);
}
