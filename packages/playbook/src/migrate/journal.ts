import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { Problems, TooManyProblems } from '../diagnostics/problems.ts';
import type { Note } from './migration.ts';
import type { RuleId } from './rules.ts';

/** What a problem points at where only its start is known: a key, a word of a template. */
const WORD = /[^\s:,[\]{}"'|]+/y;

/** MIG-1: collects what a migration changed and what it could not. `at` is an offset in the original text. */
export class Journal {
  private readonly taken: { readonly note: Note; readonly at: number; readonly key: string }[] = [];
  private readonly seen = new Set<string>();
  private readonly refused = new Set<number>();
  private readonly found: Problems;
  private readonly text: string;
  private full = false;

  constructor(file: string, text: string) {
    this.found = new Problems(file, text);
    this.text = text;
  }

  /** `message`: what became of what. `review`: the meaning may depend on something that is not in this file. */
  note(rule: RuleId, at: number, message: string, { review = false }: { readonly review?: boolean } = {}): void {
    const place = this.found.lines.place(at);
    const key = `${rule} ${place.line} ${message}`;
    if (this.seen.has(key)) return;
    this.seen.add(key);
    this.taken.push({ note: { rule, ...place, message, review }, at, key });
  }

  /** Does something that may come to nothing, which it tells by undefined: then its notes are forgotten, not its problems. */
  attempt<T>(work: () => T | undefined): T | undefined {
    const before = this.taken.length;
    const done = work();
    if (done === undefined) for (const { key } of this.taken.splice(before)) this.seen.delete(key);
    return done;
  }

  /** What cannot be translated faithfully: what was found there, and what the author can do. It is left as it stands. */
  problem(at: number, message: string, hint: string): void {
    const key = `! ${this.found.lines.place(at).line} ${message}`;
    if (this.full || this.seen.has(key)) return;
    this.seen.add(key);
    this.refused.add(this.found.lines.place(at).line);
    WORD.lastIndex = at;
    const end = at + (WORD.exec(this.text)?.[0].length ?? 1);
    try {
      this.found.error('NOETL_UNTRANSLATABLE', { start: at, end }, message, hint);
    } catch (error) {
      if (!(error instanceof TooManyProblems)) throw error;
      this.full = true;
    }
  }

  /** Whether something in the line was not translated. */
  refusedIn(at: number): boolean {
    return this.refused.has(this.found.lines.place(at).line);
  }

  /** In the order of the original file. */
  notes(): readonly Note[] {
    return [...this.taken].sort((a, b) => a.at - b.at).map(({ note }) => note);
  }

  /** In the order of the original file. */
  problems(): readonly Diagnostic[] {
    return this.found.list();
  }
}
