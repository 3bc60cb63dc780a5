import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { KeySource } from '../secrets/credential-store.ts';
import { KeyProblem } from '../secrets/key-problem.ts';
import type { Machine } from './machine.ts';

/** `NOETL_KEY`, else `NOETL_KEY_FILE`, else a file of its own in the configuration of the user; never in the data folder. */
export function keySourceOf(data: string, { environment, workingFolder }: Machine): KeySource {
  const given = (name: string): string | undefined => environment[name] || undefined;
  const [text, file] = [given('NOETL_KEY'), given('NOETL_KEY_FILE')];
  if (text !== undefined && file !== undefined) {
    throw new KeyProblem('NOETL_KEY and NOETL_KEY_FILE are both set; the master key is in one of them.');
  }
  if (text !== undefined) return { kind: 'text', text, next: given('NOETL_NEW_KEY') };
  const outside = (path: string, name: string): string => {
    const full = resolve(workingFolder, path);
    if (!`${full}/`.startsWith(`${data}/`)) return full;
    throw new KeyProblem(
      `${name} is in the data folder '${data}'. Keep the key elsewhere: who copies the folder must not get both.`,
    );
  };
  if (file !== undefined) {
    const next = given('NOETL_NEW_KEY_FILE');
    return {
      kind: 'file',
      file: outside(file, 'the file that NOETL_KEY_FILE names'),
      next: next === undefined ? undefined : outside(next, 'the file that NOETL_NEW_KEY_FILE names'),
    };
  }
  const configuration = given('XDG_CONFIG_HOME') ?? join(environment.HOME || homedir(), '.config');
  return { kind: 'own', folder: outside(join(configuration, 'noetl', 'keys'), 'the folder of the keys') };
}
