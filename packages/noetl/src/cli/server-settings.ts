import { isIPv6 } from 'node:net';
import { type AllowedNames, LOOPBACK_NAMES } from '../server/http/where-from.ts';
import type { RunningLimits } from '../server/running-limit.ts';
import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-code.ts';
import { isLoopback } from './loopback.ts';
import type { Machine } from './machine.ts';

/** What the environment says of how a server answers. */
export interface ServerSettings {
  readonly names: AllowedNames;
  /** Requests a second for each caller; 0 for any number. */
  readonly rate: number;
  readonly running: RunningLimits;
}

const RATE = 1_000;
/** SPEC §9: running executions, of the server and of each token. */
const MOST_EXECUTIONS = 10_000;
const MOST_OF_TOKEN = 1_000;

/** A limit that is misspelt would be none: what cannot be read ends the start. */
export function serverSettings(host: string, { environment }: Pick<Machine, 'environment'>): ServerSettings {
  const limitOf = (name: string, standard: number): number => {
    const text = environment[name]?.trim() ?? '';
    if (text === '') return standard;
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw nonsense(name, text, 'a whole number, 0 for any');
  };
  return {
    names: allowedNames(host, environment),
    rate: limitOf('NOETL_API_RATE', RATE),
    running: {
      perServer: limitOf('NOETL_MAX_EXECUTIONS', MOST_EXECUTIONS),
      perToken: limitOf('NOETL_MAX_EXECUTIONS_PER_TOKEN', MOST_OF_TOKEN),
    },
  };
}

function allowedNames(host: string, environment: Machine['environment']): AllowedNames {
  const named = wordsOf(environment.NOETL_HOSTS).map((name) => name.toLowerCase());
  const any = named.length === 0 && !isLoopback(host);
  return {
    // Commands of this machine reach it by these names, whatever others call it.
    hosts: any ? undefined : new Set([...LOOPBACK_NAMES, isIPv6(host) ? `[${host}]` : host, ...named]),
    origins: new Set(wordsOf(environment.NOETL_ORIGINS).map(originOf)),
  };
}

/** As browsers send it: without what may follow a host and its port. */
function originOf(text: string): string {
  const { origin, protocol } = URL.canParse(text) ? new URL(text) : { origin: '', protocol: '' };
  if (protocol === 'http:' || protocol === 'https:') return origin;
  throw nonsense('NOETL_ORIGINS', text, 'addresses such as https://ui.example, with spaces or commas between');
}

const wordsOf = (text = ''): readonly string[] => text.split(/[\s,]+/).filter((word) => word !== '');

const nonsense = (name: string, text: string, expected: string): CommandFailure =>
  new CommandFailure(EXIT.usage, `error: ${name} is '${text}', expected ${expected}.`);
