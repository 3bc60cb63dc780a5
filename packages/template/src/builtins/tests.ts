import type { Budget } from '../budget.ts';
import type { Run } from '../evaluation/run.ts';
import { modulo } from '../values/arithmetic.ts';
import { Callable } from '../values/callable.ts';
import { hashOf } from '../values/dict.ts';
import { isEqual } from '../values/equality.ts';
import { isFloat } from '../values/float.ts';
import { isText, Markup } from '../values/markup.ts';
import { contains } from '../values/membership.ts';
import { compare } from '../values/ordering.ts';
import { isIterable } from '../values/sequence.ts';
import { kindOf } from '../values/special.ts';
import { toText } from '../values/text.ts';
import { Undefined } from '../values/undefined.ts';
import { define, type TestDefinition } from './definition.ts';

const test = (holds: (value: unknown, run: Run) => boolean): TestDefinition =>
  define([], (run, value) => holds(value, run));
const compared = (holds: (value: unknown, other: unknown, budget: Budget) => boolean): TestDefinition =>
  define(['other'], (run, value, [other]) => holds(value, other, run.budget));

const eq = compared((a, b, budget) => isEqual(a, b, budget));
const ne = compared((a, b, budget) => !isEqual(a, b, budget));
const lt = compared((a, b, budget) => compare(a, b, budget) < 0);
const le = compared((a, b, budget) => compare(a, b, budget) <= 0);
const gt = compared((a, b, budget) => compare(a, b, budget) > 0);
const ge = compared((a, b, budget) => compare(a, b, budget) >= 0);

/** Every test of Jinja. Undefined values may be asked whether they are defined, in any mode. */
export const TESTS: Readonly<Record<string, TestDefinition>> = {
  defined: test((value) => !(value instanceof Undefined)),
  undefined: test((value) => value instanceof Undefined),
  none: test((value) => value === null),
  boolean: test((value) => typeof value === 'boolean'),
  true: test((value) => value === true),
  false: test((value) => value === false),
  integer: test((value) => kindOf(value) === 'int'),
  float: test((value) => isFloat(value)),
  number: test((value) => kindOf(value) === 'int' || typeof value === 'boolean' || isFloat(value)),
  string: test((value) => isText(value)),
  mapping: test((value) => kindOf(value) === 'dict'),
  sequence: test((value) =>
    value instanceof Undefined ? value.mode !== 'strict' && value.mode !== 'checked' : isIterable(value),
  ),
  iterable: test((value) => {
    if (value instanceof Undefined) value.checkReadable();
    return isIterable(value);
  }),
  // Jinja's Undefined has a __call__, which fails when used.
  callable: test((value) => value instanceof Callable || value instanceof Undefined),
  // Jinja's chainable undefined says of itself that it is HTML.
  escaped: test((value) => value instanceof Markup || (value instanceof Undefined && value.mode === 'chainable')),
  lower: test((value, run) => hasCase(toText(value, run.budget), (text) => text.toLowerCase())),
  upper: test((value, run) => hasCase(toText(value, run.budget), (text) => text.toUpperCase())),
  odd: define([], (run, value) => isEqual(modulo(value, 2, run.budget), 1, run.budget)),
  even: define([], (run, value) => isEqual(modulo(value, 2, run.budget), 0, run.budget)),
  divisibleby: define(['num'], (run, value, [num]) => isEqual(modulo(value, num, run.budget), 0, run.budget)),
  sameas: compared((a, b) => a === b),
  in: compared((a, b, budget) => contains(b, a, budget)),
  filter: test((value, run) => isName(value) && run.settings.hasFilter(value)),
  test: test((value, run) => isName(value) && run.settings.hasTest(value)),
  eq,
  equalto: eq,
  '==': eq,
  ne,
  '!=': ne,
  lt,
  lessthan: lt,
  '<': lt,
  le,
  '<=': le,
  gt,
  greaterthan: gt,
  '>': gt,
  ge,
  '>=': ge,
};

/** Whether it can be the name of a filter or test at all; what cannot even be a key is an error, as in Jinja. */
function isName(value: unknown): value is string {
  hashOf(value);
  return typeof value === 'string';
}

/** Python's islower and isupper: at least one letter with case, and none of the other case. */
function hasCase(text: string, toCase: (text: string) => string): boolean {
  return toCase(text) === text && text.toLowerCase() !== text.toUpperCase();
}
