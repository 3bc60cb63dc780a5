/**
 * Why a secret cannot be had: the end of a sentence that begins with what asked for it, such as "the keychain entry 'x'".
 * Never shows a value.
 */
export class Unresolved extends Error {
  /** Whether it may be had later: what keeps it could not be reached. */
  readonly passing: boolean;

  constructor(message: string, { passing = false, ...options }: ErrorOptions & { readonly passing?: boolean } = {}) {
    super(message, options);
    this.passing = passing;
  }
}

/** The code of an error of the system or of a client, for messages: what else it says might quote a value. */
export function codeOf(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  if (!(first instanceof Error)) return 'unknown';
  if ('code' in first && typeof first.code === 'string') return first.code;
  return first.cause instanceof Error ? codeOf(first.cause) : first.name;
}
