/** All that a command sees of the world. `main.ts` gives the real one; tests give one made of strings. */
export interface Terminal {
  /** The text of a file, or of standard input for `-`. */
  read(file: string): Promise<string>;
  /** Results: standard output. */
  print(text: string): void;
  /** Everything else: standard error. */
  complain(text: string): void;
  /** The width that help is wrapped to. */
  readonly columns: number;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some moment, never going back. */
  elapsed(): number;
  /** A number below 2^32 that differs from run to run. */
  seed(): number;
}
