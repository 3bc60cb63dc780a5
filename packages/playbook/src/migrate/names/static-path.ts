const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A name and what is read of it as an expression: `results.fetch.rows[0]['first name']`. */
export const pathText = (name: string, path: readonly (string | number)[]): string =>
  path.reduce<string>((text, key) => text + keyText(key), name);

const keyText = (key: string | number): string =>
  typeof key === 'string' && PLAIN.test(key) ? `.${key}` : `[${literalText(key)}]`;

/** A constant as templates write it. */
export const literalText = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
