import type { Machine } from './machine.ts';

/** What opens all credentials is for this program alone. */
const KEYS: ReadonlySet<string> = new Set(['NOETL_KEY', 'NOETL_NEW_KEY']);

/** The variables that the programs of tasks inherit: those of this process, but for its keys. */
export const taskEnvironment = ({ environment }: Pick<Machine, 'environment'>): Machine['environment'] =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !KEYS.has(name)));
