import type { Terminal } from '../terminal.ts';

/** The first is what is meant if nothing is said. */
export const LOG_FORMATS = ['text', 'json'] as const;
export const LOG_LEVELS = ['info', 'debug', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogOptions {
  readonly logFormat: (typeof LOG_FORMATS)[number];
  readonly logLevel: LogLevel;
}

/** What an entry is about: ids, names and numbers, never a value of a playbook (SEC-3). */
export type LogFields = Readonly<Record<string, string | number | undefined>>;

/** What a program that stays says while it runs, to standard error. */
export interface ProgramLog {
  write(level: LogLevel, message: string, fields?: LogFields): void;
  /** Whether entries of the level are written. */
  has(level: LogLevel): boolean;
  /** Takes what is said to a person, as a terminal does: a line of its own, or an entry. */
  complain(text: string): void;
}

const WEIGHT: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
/** How texts for people begin that are more than news. */
const PREFIXES: readonly (readonly [prefix: string, level: LogLevel])[] = [
  ['error: ', 'error'],
  ['warning: ', 'warn'],
  ['waiting: ', 'warn'],
];

export function createProgramLog(
  { logFormat, logLevel }: LogOptions,
  { complain, now }: Pick<Terminal, 'complain' | 'now'>,
): ProgramLog {
  const has = (level: LogLevel): boolean => WEIGHT[level] >= WEIGHT[logLevel];

  function write(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (!has(level)) return;
    const time = new Date(now()).toISOString();
    if (logFormat === 'json') complain(`${JSON.stringify({ time, level, message, ...fields })}\n`);
    else complain(`${[time, level, message, ...pairs(fields)].join(' ')}\n`);
  }

  return {
    write,
    has,
    complain(text) {
      const [prefix, level] = PREFIXES.find(([some]) => text.startsWith(some)) ?? ['', 'info' as const];
      if (logFormat === 'json') write(level, text.slice(prefix.length).trimEnd());
      else if (has(level)) complain(text);
    },
  };
}

const pairs = (fields: LogFields): readonly string[] =>
  Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${plain(`${value}`)}`]));

/** A word as it is; anything else in quotes, so that it neither ends its line nor looks like another field. */
const plain = (text: string): string => (/^[\w.,:/@+-]+$/.test(text) ? text : JSON.stringify(text));
