/** What the caller of the command learns without reading a word. The numbers are a contract (docs/reference/cli.md). */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** The server does not answer. */
  unreachable: 3,
  invalid: 4,
  cancelled: 5,
  /** Stopped from outside, as a shell counts it: 128 and the number of the signal. */
  SIGHUP: 129,
  SIGINT: 130,
  /** Whoever read its output has gone. */
  SIGPIPE: 141,
  SIGTERM: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
