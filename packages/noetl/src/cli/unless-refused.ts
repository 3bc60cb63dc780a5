import { ServerProblem } from '../client/server-error.ts';

/** What a server answers; undefined where it refuses with this status. */
export async function unlessRefused<T>(answer: Promise<T>, status: number): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ServerProblem && error.status === status) return undefined;
    throw error;
  }
}
