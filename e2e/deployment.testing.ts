import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from './program.testing.ts';

/** What a unit of systemd says, as far as it decides how the program is run. */
export interface Unit {
  readonly command: readonly string[];
  /** Seconds. */
  readonly stopTimeout: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly settings: ReadonlyMap<string, string>;
}

const deployed = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Reads a unit as systemd does: `%S` is the folder of states, `$NAME` alone stands for the words of a variable. */
export function unitOf(name: string, state: string, given: Readonly<Record<string, string>>): Unit {
  const settings = new Map<string, string>();
  for (const line of deployed(`deploy/systemd/${name}.service`).split('\n')) {
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined) settings.set(key, value.replaceAll('%S', state));
  }
  const own = wordsOf(settings.get('Environment')).map((word) => word.split('=', 2) as [string, string]);
  const environment = { ...Object.fromEntries(own), ...given };
  const command = wordsOf(settings.get('ExecStart')).flatMap((word) => {
    const [, variable] = /^\$(\w+)$/.exec(word) ?? [];
    return variable === undefined ? [word] : wordsOf(environment[variable]);
  });
  return { command, stopTimeout: Number(settings.get('TimeoutStopSec')), environment, settings };
}

const wordsOf = (text = ''): readonly string[] => text.split(/\s+/).filter((word) => word !== '');

/** The seconds after `--drain`, in a command. */
export function drainOf(command: readonly string[]): number {
  const [, seconds] = /--drain[ =](\d+)/.exec(command.join(' ')) ?? [];
  return Number(seconds);
}

interface ComposedService {
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly stop_grace_period: string;
  readonly healthcheck?: { readonly disable: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly user?: string;
}

export interface Composition {
  readonly services: Readonly<Record<string, ComposedService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

export const composition = (): Composition => parse(deployed('compose.yaml'), { merge: true });

/** What the image says of the program that is run in it. */
export interface Image {
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly health: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
}

export function image(): Image {
  const text = deployed('Dockerfile').replaceAll('\\\n', ' ');
  const lines = text.slice(text.lastIndexOf('\nFROM ')).split('\n');
  const last = (instruction: string): string =>
    lines.findLast((line) => line.startsWith(`${instruction} `))?.slice(instruction.length + 1) ?? '';
  const set = wordsOf(last('ENV')).map((word) => word.split('=', 2) as [string, string]);
  return {
    entrypoint: JSON.parse(last('ENTRYPOINT')),
    command: JSON.parse(last('CMD')),
    health: JSON.parse(last('HEALTHCHECK').replace(/^.* CMD /, '')),
    environment: Object.fromEntries(set),
    user: last('USER'),
  };
}
