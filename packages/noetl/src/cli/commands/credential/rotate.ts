import { noteCommand } from '../../audit-notes.ts';
import { changing } from '../../changing.ts';
import { credentialStoreOf } from '../../credential-store.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import { demandPlace } from '../../place.ts';
import type { Terminal } from '../../terminal.ts';
import { things } from '../../views/quantity.ts';
import type { ExecOptions } from '../exec/looking.ts';

/** Puts every credential under a new master key, all at once. */
export async function credentialRotate(
  { data, json }: ExecOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> {
  await demandPlace(data, terminal, machine);
  const { entries, key } = await changing(data, machine, async (folder) => {
    const rotated = await folder.remote?.credentials.rotate();
    if (rotated === undefined) {
      const done = await credentialStoreOf(folder, machine).rotate();
      await noteCommand('credential rotate', folder, terminal.now(), machine);
      return done;
    }
    return { entries: rotated.credentials, key: rotated.key };
  });
  terminal.print(
    json
      ? `${JSON.stringify({ credentials: entries })}\n`
      : `${things(entries, 'credential')} under a new key, in ${key}.\n`,
  );
  return EXIT.ok;
}
