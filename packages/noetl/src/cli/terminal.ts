/** All that a command sees of the world. `main.ts` gives the real one; tests give one made of strings. */
export interface Terminal {
  /** The text of a file, or of standard input for `-`. */
  read(file: string): Promise<string>;
  /** The bytes of a file, or of standard input for `-`; of a longer one the first `limit` and at least one more. */
  readBytes(file: string, limit: number): Promise<Uint8Array>;
  /** What a path leads to, through links; undefined if to nothing. */
  look(path: string): Promise<PathKind | undefined>;
  /** What a folder holds. A link to a file counts as one, a link to a folder as `other`: following it may never end. */
  list(folder: string): Promise<readonly FolderEntry[]>;
  /** Writes a whole file. One that exists is kept, and false the answer, unless it may be replaced. */
  write(file: string, text: string, options: { readonly replace: boolean }): Promise<boolean>;
  /** Writes a file from pieces; it is there when it is whole, and then replaces one that was there. */
  save(file: string, pieces: AsyncIterable<string>): Promise<void>;
  /** Asks the person at standard input, hiding what is typed or not; undefined for no answer. Absent if nobody is there. */
  readonly ask?: ((question: string, options: { readonly hidden: boolean }) => Promise<string | undefined>) | undefined;
  /** Results: standard output. */
  print(text: string): void;
  /** Everything else: standard error. */
  complain(text: string): void;
  /** The width that help is wrapped to. */
  readonly columns: number;
  /** Whether results may have colours. */
  readonly color: boolean;
  /** Whether a person watches standard error, so that lines there may be drawn anew; with colours or without. */
  readonly watched: boolean;
  readonly watchedInColor: boolean;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some moment, never going back. */
  elapsed(): number;
  /** A number below 2^32 that differs from run to run. */
  seed(): number;
}

export type PathKind = 'file' | 'folder' | 'other';

export interface FolderEntry {
  readonly name: string;
  readonly kind: PathKind;
}
