/** What the caller of the command learns without reading a word. The numbers are a contract (docs/reference/cli.md). */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  invalid: 4,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
