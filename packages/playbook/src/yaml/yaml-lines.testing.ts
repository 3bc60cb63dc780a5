/** Lines that, put together and indented at random, make good and bad YAML documents. */
// biome-ignore format: a table
export const YAML_LINES: readonly string[] = [
  'a: 1', 'b:', '- x', '- c: 1', '-', '- - y', 'd: |', 'e: >-', 'm: |+', 'text', 'more text # note', '# comment', '', '',
  'f: "q', 'r"', "g: 'one", "two'", 'h: [1,', '2]', 'i: {k: v}', "j: 'it''s'", 'o: &x', 'k: *x', 'l: &x 5', '- &x', '- *x',
  '- |', '- >', 'p: - q', 's: t: u', '"t": 2', 'w : 3', 'http://x', 'u: http://x', 'v: a#b', '- [a, b]', '- {c: d}', '---',
  '...', '- "x" # y', 'x: ~', 'y: 0x1f', 'z: "\\t\\\\"', 'aa: "\\', '- &y [1]', '- *y', '- text', '"q": "r"', 'ab: [', ']',
  'ac: {', '}', 'ad: 1,', '  e', '&z', '&z a', '- -',
];

/** Parts of a value on one line. */
// biome-ignore format: a table
export const YAML_SCALARS: readonly string[] = [
  'a', 'b c', ' ', '  ', '1', '-1', '.5', '1.5e3', '0x1f', '0o7', 'true', 'null', '~', '-', '- ', ':x', 'x:y', '#', ' #', '"q"',
  "'r'", '"\\n"', "it's", '[1]', '[a, b]', '{c: d}', '{e}', ', ', '|', '>', '&n ', '*n', '!', '%', '@', '\\', '.', '+', '=', '<',
  '2024-01-01', '1_000', 'é', '😀',
];
