import { expr, type Piece, sourceOf } from './piece.ts';
import type { Random } from './random.ts';

/** The kinds of value the generator aims at, so that most expressions make sense; a few aim wrong on purpose. */
export type Sort = 'int' | 'float' | 'str' | 'bool' | 'ints' | 'words' | 'rows' | 'dict' | 'any';

export const SORTS: readonly Sort[] = ['int', 'float', 'str', 'bool', 'ints', 'words', 'rows', 'dict', 'any'];

export type Rule = (grammar: Grammar, depth: number) => Piece;

export interface RuleSet {
  /** Without further expressions inside. */
  readonly leaves: readonly Rule[];
  readonly compounds: readonly Rule[];
}

export interface Local {
  readonly name: string;
  readonly sort: Sort;
}

/** How often an expression of a wrong sort stands in place of the wanted one. */
const MISFIT = 0.04;

/** Chooses among the rules of a sort; knows the names in scope. */
export class Grammar {
  readonly random: Random;
  readonly #rules: ReadonlyMap<Sort, RuleSet>;
  readonly #locals: Local[] = [];
  #fresh = 0;

  constructor(random: Random, rules: ReadonlyMap<Sort, RuleSet>) {
    this.random = random;
    this.#rules = rules;
  }

  of(sort: Sort, depth: number): Piece {
    const actual = this.random.chance(MISFIT) ? this.random.pick(SORTS) : sort;
    const rules = this.#rules.get(actual);
    if (!rules) throw new Error(`no rules for ${actual}`);
    const compound = depth > 0 && this.random.chance(0.88);
    return this.random.pick(compound ? rules.compounds : rules.leaves)(this, depth - 1);
  }

  /** An expression to which a filter, a subscript or a method can be put: mostly in parentheses where it needs them. */
  atom(sort: Sort, depth: number): Piece {
    const piece = this.of(sort, depth);
    return /^[\w'"]*$/.test(sourceOf(piece)) || this.random.chance(0.2) ? piece : expr`(${piece})`;
  }

  /** Items for a list, an argument list, a tuple. */
  some(sort: Sort, low: number, high: number, depth: number): Piece[] {
    return this.random.many(low, high, () => this.of(sort, depth));
  }

  local(sort: Sort): string | undefined {
    const fitting = this.#locals.filter((local) => sort === 'any' || local.sort === sort);
    return fitting.length === 0 ? undefined : this.random.pick(fitting).name;
  }

  freshName(prefix: string): string {
    this.#fresh += 1;
    return `${prefix}${this.#fresh}`;
  }

  declare(local: Local): void {
    this.#locals.push(local);
  }

  /** Runs `make` with more names in scope, which are gone afterwards. */
  within<T>(locals: readonly Local[], make: () => T): T {
    const before = this.#locals.length;
    this.#locals.push(...locals);
    const made = make();
    this.#locals.length = before;
    return made;
  }
}
