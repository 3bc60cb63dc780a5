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

/** The value of a name, attribute or item that is not there. It remembers what was missing from where. */
export class Undefined extends Special {
  readonly mode: UndefinedMode;
  /** The expression as the author wrote it, such as `ctx.total`. */
  readonly path: string;
  private readonly missing: string;
  private readonly owner: unknown;
  private readonly names: (() => Iterable<string>) | undefined;
  private readonly hint: string | undefined;

  /** Something missing from `owner`, or, with `names`, a name that is not among them. */
  constructor(
    mode: UndefinedMode,
    path: string,
    missing: string,
    owner: unknown,
    names?: () => Iterable<string>,
    hint?: string,
  ) {
    super();
    this.mode = mode;
    this.path = path;
    this.missing = missing;
    this.owner = owner;
    this.names = names;
    this.hint = hint;
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
    const reason = this.names === undefined ? `: ${typeName(this.owner)} has no '${this.missing}'` : '';
    const hint = this.hint ?? didYouMean(this.missing, this.known());
    return new Fault('NOETL_TEMPLATE_UNDEFINED', `'${this.path}' is undefined${reason}.`, hint);
  }

  private known(): Iterable<string> {
    if (this.names !== undefined) return this.names();
    return isMapping(this.owner) ? mappingKeys(this.owner).filter((key) => typeof key === 'string') : [];
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
