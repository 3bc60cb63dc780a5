import { Unresolved } from './unresolved.ts';

/** Reads a variable of the environment that noetl was started with. */
export function fromEnvironment(secret: string, environment: Readonly<Record<string, string | undefined>>): string {
  const value = Object.hasOwn(environment, secret) ? environment[secret] : undefined;
  if (value === undefined || value === '') {
    const what = value === undefined ? 'not set' : 'empty';
    const example = /^[A-Za-z_]\w*$/.test(secret) ? `: export ${secret}=…` : '.';
    throw new Unresolved(
      `needs the environment variable '${secret}', which is ${what}. Set it before noetl starts${example}`,
    );
  }
  return value;
}
