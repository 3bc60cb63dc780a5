import { type ApiCode, isProblemCode, Problem } from '../server/http/problem.ts';
import { CommandFailure } from './command-failure.ts';

/** Does what a command does; what the command would tell its user becomes a problem. */
export async function withProblems<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw error instanceof CommandFailure ? problemOf(error) : error;
  }
}

function problemOf({ message }: CommandFailure): Problem {
  const [, code = '', text = ''] = /^error: (?:(NOETL_\w+): )?(.*)$/s.exec(message) ?? [undefined, undefined, message];
  const fallback: ApiCode = 'NOETL_API_REFUSED';
  return new Problem(isProblemCode(code) ? code : fallback, text);
}
