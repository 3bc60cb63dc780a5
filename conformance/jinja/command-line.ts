import { type ParseArgsConfig, parseArgs } from 'node:util';

/** What a person typed wrong: said in one sentence, without a stack trace. */
export class UsageError extends Error {}

/** The options of the command line, or a UsageError. */
export function readArguments<Options extends NonNullable<ParseArgsConfig['options']>>(options: Options) {
  try {
    return parseArgs({ options, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** A whole number of at least `least`. */
export function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError(`--${name} is '${text}', expected a whole number of at least ${least}.`);
}
