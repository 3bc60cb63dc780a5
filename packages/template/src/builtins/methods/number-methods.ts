import { isFloat, unwrapFloat } from '../../values/float.ts';
import { bitLength, integerOf, isInteger } from '../../values/integer.ts';
import { define, type MethodDefinition } from '../definition.ts';

export const INTEGER_METHODS: Readonly<Record<string, MethodDefinition>> = {
  bit_length: define([], (_run, value) => (isInteger(value) ? bitLength(integerOf(value)) : 0)),
};

export const FLOAT_METHODS: Readonly<Record<string, MethodDefinition>> = {
  is_integer: define([], (_run, value) => isFloat(value) && Number.isInteger(unwrapFloat(value))),
};
