/** Python's types as templates see them. */
export type Kind =
  | 'none'
  | 'bool'
  | 'int'
  | 'float'
  | 'str'
  | 'list'
  | 'tuple'
  | 'dict'
  | 'range'
  | 'undefined'
  | 'callable'
  | 'object';

/**
 * A value that only this engine makes. Everything else a template meets is plain data of the caller: null, boolean,
 * number, bigint, string, array, object with own properties. Functions and symbols of the caller do not exist for it.
 */
export abstract class Special {
  abstract get kind(): Kind;

  /** Stands for the value as the key of a mapping. */
  hash(): unknown {
    return this;
  }

  /** The attributes there are, for error messages. */
  attributeNames(): readonly string[] {
    return [];
  }

  /** What `x.name` gives; undefined if there is no such attribute. */
  attribute(_name: string): unknown {
    return undefined;
  }
}

export function kindOf(value: unknown): Kind {
  switch (typeof value) {
    case 'string':
      return 'str';
    case 'number':
      return Number.isSafeInteger(value) ? 'int' : 'float';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'object':
      if (value === null) return 'none';
      if (Array.isArray(value)) return 'list';
      return value instanceof Special ? value.kind : 'dict';
    default:
      return 'undefined';
  }
}

const TYPE_NAMES: Readonly<Record<Kind, string>> = {
  none: 'none',
  bool: 'a boolean',
  int: 'an integer',
  float: 'a float',
  str: 'text',
  list: 'a list',
  tuple: 'a tuple',
  dict: 'a mapping',
  range: 'a range',
  undefined: 'undefined',
  callable: 'a function',
  object: 'an object',
};

/** The type of a value in an error message. */
export const typeName = (value: unknown): string => TYPE_NAMES[kindOf(value)];
