import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openProgram, type Program } from './program.testing.ts';
import { detachedServer } from './server.testing.ts';

/** How commands reach executions: in a data folder of this machine, or by the server that has it (`--server`). */
export const WAYS = ['folder', 'server'] as const;
export type Way = (typeof WAYS)[number];

export interface WayProgram extends Program {
  readonly way: Way;
  /** The place of a data folder as commands tell it: `--data FOLDER`, or `--server URL`. */
  place(data: string): string;
  /** The same without the name of the option. */
  where(data: string): string;
}

/**
 * The built program, by a way that its tests need not know. By the server there is one data folder for all tests, and
 * whatever a test gives as `--data` becomes `--server`. The environment, with all secrets, is the server's alone: commands
 * that talk to it do not have it. The server runs in a folder where nothing is.
 */
export async function openProgramBy(way: Way, env: NodeJS.ProcessEnv = {}): Promise<WayProgram> {
  const program = openProgram();
  if (way === 'folder') {
    const start: Program['start'] = (args, options = {}) =>
      program.start(args, { ...options, env: { ...env, ...options.env } });
    return {
      ...program,
      way,
      start,
      run: (args, options) => program.end(start(args, options)),
      place: (data) => `--data ${data}`,
      where: (data) => data,
    };
  }
  const data = program.newData();
  const cwd = join(program.folder, 'elsewhere');
  mkdirSync(cwd);
  const url = await detachedServer(program, data, { cwd, env });
  const start: Program['start'] = (args, options = {}) => {
    const at = args.indexOf('--data');
    const asked = at < 0 ? args : [...args.slice(0, at), '--server', url, ...args.slice(at + 2)];
    return program.start(asked, at < 0 ? options : { ...options, env: {} });
  };
  return {
    ...program,
    way,
    start,
    run: (args, options) => program.end(start(args, options)),
    newData: () => data,
    place: () => `--server ${url}`,
    where: () => url,
    async close() {
      await program.run(['server', 'stop', '--data', data]);
      await program.close();
    },
  };
}
