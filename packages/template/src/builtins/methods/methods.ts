import { type Kind, kindOf } from '../../values/special.ts';
import type { MethodDefinition } from '../definition.ts';
import { DICT_METHODS, LIST_METHODS, TUPLE_METHODS } from './container-methods.ts';
import { FLOAT_METHODS, INTEGER_METHODS } from './number-methods.ts';
import { STRING_METHODS } from './string-methods.ts';

const METHODS: Readonly<Partial<Record<Kind, Readonly<Record<string, MethodDefinition>>>>> = {
  str: STRING_METHODS,
  list: LIST_METHODS,
  tuple: TUPLE_METHODS,
  range: TUPLE_METHODS,
  dict: DICT_METHODS,
  int: INTEGER_METHODS,
  float: FLOAT_METHODS,
};

/** The method of that name on values of this type. What is not on the list does not exist. */
export function methodOf(value: unknown, name: string): MethodDefinition | undefined {
  const methods = METHODS[kindOf(value)];
  return methods !== undefined && Object.hasOwn(methods, name) ? methods[name] : undefined;
}

export const methodNames = (value: unknown): readonly string[] => Object.keys(METHODS[kindOf(value)] ?? {});
