import { didYouMean } from '../nearest-name.ts';
import { Fault } from '../template-error.ts';
import { isMapping, mappingKeys } from './mapping.ts';
import { type Kind, Special, typeName } from './special.ts';

/**
 * - `default`: falsy, prints as nothing; using a part of it is an error.
 * - `strict`: any use but `is defined` and `default` is an error.
 * - `chainable`: as `default`, and a part of it is undefined again.
 * - `checked`: chainable, falsy and comparable, but an error as soon as its value would be used: printed, iterated,
 *   measured or returned. A typo never turns into an empty text.
 */
export type UndefinedMode = 'default' | 'strict' | 'chainable' | 'checked';

/** What is missing, for the error message. */
export interface Missing {
  /** The expression as the author wrote it, such as `ctx.total`. */
  readonly path: string;
  readonly name: string;
  /** What it is missing from; undefined for a name of the scope. */
  readonly owner?: unknown;
  /** Names that do exist, asked for only when there is an error. */
  readonly known?: () => Iterable<string>;
  readonly hint?: string;
}

/** The value of a name, attribute or item that is not there. It remembers what was missing from where. */
export class Undefined extends Special {
  readonly mode: UndefinedMode;
  private readonly missing: Missing;

  constructor(mode: UndefinedMode, missing: Missing) {
    super();
    this.mode = mode;
    this.missing = missing;
  }

  get kind(): Kind {
    return 'undefined';
  }

  /** Undefined values of one mode are equal. */
  override hash(): unknown {
    this.checkComparable();
    return `\0undefined ${this.mode}`;
  }

  fault(): Fault {
    const { path, name, owner } = this.missing;
    const reason = 'owner' in this.missing ? `: ${typeName(owner)} has no '${name}'` : '';
    const hint = this.missing.hint ?? didYouMean(name, this.known());
    return new Fault('NOETL_TEMPLATE_UNDEFINED', `'${path}' is undefined${reason}.`, hint);
  }

  private known(): Iterable<string> {
    const { owner, known } = this.missing;
    const keys = isMapping(owner) ? mappingKeys(owner).filter((key) => typeof key === 'string') : [];
    return [...keys, ...(known?.() ?? [])];
  }

  /** Throws where this mode forbids to read the value as text, as a sequence or by its length. */
  checkReadable(): void {
    if (this.mode === 'strict' || this.mode === 'checked') throw this.fault();
  }

  /** Throws where this mode forbids to ask for truth or equality. */
  checkComparable(): void {
    if (this.mode === 'strict') throw this.fault();
  }
}
