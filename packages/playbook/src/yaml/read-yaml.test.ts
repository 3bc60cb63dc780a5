import { describe, expect, it } from 'vitest';
import { readYaml } from './read-yaml.ts';
import { dataOf } from './yaml-package.testing.ts';

function read(source: string): unknown {
  const result = readYaml(source);
  if ('error' in result) throw result.error;
  return dataOf(result.node);
}

/** Code, `line:column` of what is marked, message. */
function failure(source: string): { code: string; at: string; message: string; hint: string | undefined } {
  const result = readYaml(source);
  if (!('error' in result)) throw new Error(`no error: ${JSON.stringify(dataOf(result.node))}`);
  const { code, span, message, hint } = result.error;
  const before = source.slice(0, span.start);
  const line = before.split('\n').length;
  return { code, at: `${line}:${span.start - before.lastIndexOf('\n')}`, message, hint };
}

describe('block collections', () => {
  it.each<[string, string, unknown]>([
    ['a mapping', 'a: 1\nb: two\n', { a: 1, b: 'two' }],
    ['nested mappings', 'a:\n  b:\n    c: 1\n  d: 2\n', { a: { b: { c: 1 }, d: 2 } }],
    ['a list', '- 1\n- two\n-\n', [1, 'two', null]],
    ['a list under a key, indented', 'a:\n  - 1\n  - 2\n', { a: [1, 2] }],
    ['a list under a key, at its column', 'a:\n- 1\n- 2\nb: 3\n', { a: [1, 2], b: 3 }],
    ['a mapping in an item', '- a: 1\n  b: 2\n- c: 3\n', [{ a: 1, b: 2 }, { c: 3 }]],
    ['a mapping below its dash', '-\n  a: 1\n  b: 2\n', [{ a: 1, b: 2 }]],
    ['lists in lists', '- - 1\n  - 2\n- - 3\n', [[1, 2], [3]]],
    ['keys without values', 'a:\nb:\n  c:\n', { a: null, b: { c: null } }],
    ['a value below its key', 'a:\n  text\n', { a: 'text' }],
    ['quoted keys', '"a b": 1\n\'c: d\': 2\n', { 'a b': 1, 'c: d': 2 }],
    ['keys with blanks and colons', 'a b: 1\nc:d: 2\ne : 3\n', { 'a b': 1, 'c:d': 2, e: 3 }],
    ['keys that look like numbers stay text', '1: a\ntrue: b\n', { '1': 'a', true: 'b' }],
    ['an indented document', '  a: 1\n  b: 2\n', { a: 1, b: 2 }],
    ['nothing', '', null],
    ['only comments', '# a\n\n# b\n', null],
  ])('%s', (_name, source, value) => {
    expect(read(source)).toEqual(value);
  });
});

describe('flow collections', () => {
  it.each<[string, string, unknown]>([
    ['a list', '[1, two, "three"]', [1, 'two', 'three']],
    ['a mapping', '{a: 1, b: {c: [2]}}', { a: 1, b: { c: [2] } }],
    ['empty ones', 'a: []\nb: {}\n', { a: [], b: {} }],
    ['trailing commas', '{a: [1, 2,],}', { a: [1, 2] }],
    ['over several lines', 'a: [1,\n  2, # two\n\n  3]\nb: {\n  c: 4\n}\n', { a: [1, 2, 3], b: { c: 4 } }],
    ['JSON', '{"a":1,"b":[true,null],"c":{"d":"e"}}', { a: 1, b: [true, null], c: { d: 'e' } }],
    ['keys without values', '{a, b: , c:}', { a: null, b: null, c: null }],
    ['plain text with blanks', '[a b, c  d ]', ['a b', 'c  d']],
    ['plain text over lines', '[a\n b, c]', ['a b', 'c']],
    ['colons and hashes inside of words', '[http://x:80/a#b, a:b]', ['http://x:80/a#b', 'a:b']],
    ['a template in quotes', '{a: "{{ b }}"}', { a: '{{ b }}' }],
    ['brackets that close at any column', 'a: [\n1\n]\n', { a: [1] }],
  ])('%s', (_name, source, value) => {
    expect(read(source)).toEqual(value);
  });
});

describe('plain scalars', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['~', null],
    ['Null', null],
    ['true', true],
    ['FALSE', false],
    ['yes', 'yes'],
    ['off', 'off'],
    ['0', 0],
    ['-7', -7],
    ['+3', 3],
    ['007', 7],
    ['0x1F', 31],
    ['0o17', 15],
    ['1.50', 1.5],
    ['.5', 0.5],
    ['1e3', 1000],
    ['1e21', 1e21],
    ['9007199254740991', 9_007_199_254_740_991],
    ['1_000', '1_000'],
    ['1.2.3', '1.2.3'],
    ['2024-05-01', '2024-05-01'],
    ['12:30', '12:30'],
    ['-', [null]],
    ['-x', '-x'],
    ['?x', '?x'],
    [':x', ':x'],
    ["it's", "it's"],
    ['a "b" c', 'a "b" c'],
    ['a#b', 'a#b'],
    ['a # b', 'a'],
  ])('%s', (source, value) => {
    expect(read(source)).toEqual(value);
  });

  it('go on over lines that are indented, blank lines being line breaks', () => {
    expect(read('a: one\n  two\n\n  three\nb: 1\n')).toEqual({ a: 'one two\nthree', b: 1 });
    expect(read('one\ntwo\n')).toBe('one two');
    expect(read('- one\n  two\n- three\n')).toEqual(['one two', 'three']);
  });

  it('end at a comment', () => {
    expect(read('a: one # two\nb: 2\n')).toEqual({ a: 'one', b: 2 });
  });
});

describe('quoted scalars', () => {
  it.each<[string, string]>([
    ["'it''s'", "it's"],
    ["'a\\nb'", 'a\\nb'],
    ['"a\\tb\\n\\"c\\" \\\\ \\/"', 'a\tb\n"c" \\ /'],
    ['"\\x41\\u00e9\\U0001F600"', 'Aé😀'],
    ['"\\0\\a\\b\\v\\f\\r\\e\\N\\_\\L\\P\\ "', '\0\x07\b\v\f\r\x1b\x85\xa0\u2028\u2029 '],
    ['"a: # b"', 'a: # b'],
    ['""', ''],
    ["''", ''],
    ['"true"', 'true'],
    ['" a "', ' a '],
    ['"a  \n  b"', 'a b'],
    ['"a\n\n\n b"', 'a\n\nb'],
    ["'a\n\n b'", 'a\nb'],
    ['"a\\\n  b"', 'ab'],
    ['"a \\\n  b"', 'a b'],
    ['"a\\t\n b"', 'a\t b'],
    ['"a\\\n\n b"', 'a\nb'],
  ])('%s', (source, value) => {
    expect(read(source)).toBe(value);
  });
});

describe('block scalars', () => {
  it.each<[string, string, string]>([
    ['a literal keeps lines', '|\n  a\n   b\n\n  c\n', 'a\n b\n\nc\n'],
    ['a folded one joins them', '>\n  a\n  b\n\n  c\n', 'a b\nc\n'],
    ['lines indented further are not folded', '>\n  a\n    b\n  c\n', 'a\n  b\nc\n'],
    ['clip is the default', '|\n  a\n\n\n', 'a\n'],
    ['strip', '|-\n  a\n\n', 'a'],
    ['keep', '|+\n  a\n\n', 'a\n\n'],
    ['an indentation indicator', '|2\n    a\n  b\n', '  a\nb\n'],
    ['indicators in both orders', '|-2\n   a\n', ' a'],
    ['indicators in the other order', '>2-\n   a\n', ' a'],
    ['a comment after the header', '| # note\n  a # no note\n', 'a # no note\n'],
    ['nothing', '|\n', ''],
    ['only blanks', '|\n   \n', ''],
    ['blank lines first', '|\n\n  a\n', '\na\n'],
    ['no line break at the end', '|\n  a', 'a\n'],
    ['templates and braces', '|\n  {{ a }}\n  {% if b %}x: y{% endif %}\n', '{{ a }}\n{% if b %}x: y{% endif %}\n'],
  ])('%s', (_name, source, value) => {
    expect(read(source)).toBe(value);
    expect(read(`a:\n  b: ${source.replaceAll('\n ', '\n   ').replace(/^(.-?)2/, '$12')}`)).toEqual({
      a: { b: value },
    });
  });

  it('end where the indentation does', () => {
    expect(read('a: |\n  x\nb: >-\n  y\n  z\nc: 1\n')).toEqual({ a: 'x\n', b: 'y z', c: 1 });
    expect(read('- |\n  x\n- y\n')).toEqual(['x\n', 'y']);
  });
});

describe('layout', () => {
  it.each<[string, string, unknown]>([
    ['comments everywhere', '# a\na: # b\n  # c\n  - 1 # d\n# e\n  - 2\n# f\n', { a: [1, 2] }],
    ['a hash inside of a word is no comment', 'a: b#c\n', { a: 'b#c' }],
    [
      'Windows line ends',
      'a: 1\r\nb:\r\n  - x\r\n  - "y\r\n    z"\r\nc: |\r\n  t\r\n  u\r\n',
      { a: 1, b: ['x', 'y z'], c: 't\nu\n' },
    ],
    ['a byte order mark', '\ufeffa: 1\nb: 2\n', { a: 1, b: 2 }],
    ['a document start', '---\na: 1\n', { a: 1 }],
    ['a document start with a value', '--- text\n', 'text'],
    ['a document end', 'a: 1\n...\n', { a: 1 }],
    ['start and end', '# c\n---\n- 1\n...\n# d\n', [1]],
    ['an empty document', '---\n...\n', null],
    ['trailing blanks', 'a:   1   \nb:  \n', { a: 1, b: null }],
  ])('%s', (_name, source, value) => {
    expect(read(source)).toEqual(value);
  });
});

describe('anchors and aliases', () => {
  it.each<[string, string, unknown]>([
    ['a scalar', 'a: &x 1\nb: *x\n', { a: 1, b: 1 }],
    ['a mapping', 'a: &x\n  b: 1\nc: *x\n', { a: { b: 1 }, c: { b: 1 } }],
    ['an item', '- &x\n  a: 1\n- *x\n', [{ a: 1 }, { a: 1 }]],
    ['in brackets', '[&x [1], *x, {a: *x}]', [[1], [1], { a: [1] }]],
    ['set again', '- &x 1\n- *x\n- &x 2\n- *x\n', [1, 1, 2, 2]],
    ['of nothing', 'a: &x\nb: *x\n', { a: null, b: null }],
    ['of nothing in brackets', '[&x , {a: &y }, *x, &z ]', [null, { a: null }, null, null]],
  ])('%s', (_name, source, value) => {
    expect(read(source)).toEqual(value);
  });
});

describe('DOC-13: what is refused, with its place', () => {
  it.each<[string, string, string, string]>([
    // Syntax.
    ['a: b: c', 'NOETL_YAML_SYNTAX', '1:4', "a second key on the line: 'b: c'"],
    ['a: x\n  y: z', 'NOETL_YAML_SYNTAX', '2:4', "': ' inside of 'y: z'"],
    ['a: - b', 'NOETL_YAML_SYNTAX', '1:4', "a list cannot start on its key's line"],
    ['a: 1\n  b: 2', 'NOETL_YAML_SYNTAX', '2:4', "': ' inside of 'b: 2'"],
    ['a: "x"\n  b: 2', 'NOETL_YAML_SYNTAX', '2:3', 'this line is indented further than what it follows'],
    ['a: 1\nb\n', 'NOETL_YAML_SYNTAX', '2:1', "expected 'key: value', found 'b'"],
    ['a: 1\n- b\n', 'NOETL_YAML_SYNTAX', '2:1', "expected 'key: value', found '- b'"],
    ['a: 1\n- b: 2\n', 'NOETL_YAML_SYNTAX', '2:1', "expected 'key: value', found '- b: 2'"],
    ['- a\nb: 1\n', 'NOETL_YAML_SYNTAX', '2:1', "unexpected 'b: 1'"],
    ['  a: 1\n b: 2\n', 'NOETL_YAML_SYNTAX', '2:2', "unexpected 'b: 2'"],
    ['a:\n\t- 1', 'NOETL_YAML_SYNTAX', '2:1', 'a tab indents this line'],
    ['a: "x" y', 'NOETL_YAML_SYNTAX', '1:8', "unexpected 'y' after the value"],
    ['a: [1] 2', 'NOETL_YAML_SYNTAX', '1:8', "unexpected '2' after the value"],
    ['a: "x', 'NOETL_YAML_SYNTAX', '1:4', 'this text is never closed: expected "'],
    ["a: 'x\nb: 'y'", 'NOETL_YAML_SYNTAX', '1:4', "this text is never closed: expected '"],
    ['a: "\\q"', 'NOETL_YAML_SYNTAX', '1:5', "'\\q' is no escape of double-quoted text"],
    ['a: "\\x4"', 'NOETL_YAML_SYNTAX', '1:5', "'\\x' is no escape of double-quoted text"],
    ['a: [1, 2', 'NOETL_YAML_SYNTAX', '1:4', "this '[' is never closed"],
    ['a: {b: 1', 'NOETL_YAML_SYNTAX', '1:4', "this '{' is never closed"],
    ['a: [1,\n---\n]', 'NOETL_YAML_SYNTAX', '1:4', "this '[' is never closed"],
    ['a: {b: x\n...\n}', 'NOETL_YAML_SYNTAX', '1:4', "this '{' is never closed"],
    ['a: ["x" 1]', 'NOETL_YAML_SYNTAX', '1:9', "expected ',' or ']'"],
    ['a: {b: "x" c}', 'NOETL_YAML_SYNTAX', '1:12', "expected ',' or '}'"],
    ['a: [1,, 2]', 'NOETL_YAML_SYNTAX', '1:7', "unexpected ',': a value is missing"],
    ['a: {[b]: 1}', 'NOETL_YAML_SYNTAX', '1:5', "expected a key, found '['"],
    ['a: [@b]', 'NOETL_YAML_SYNTAX', '1:5', "text inside of brackets cannot start with '@'"],
    ['a: [- b]', 'NOETL_YAML_SYNTAX', '1:5', "a '- ' item inside of brackets"],
    ['a: @b', 'NOETL_YAML_SYNTAX', '1:4', "a value cannot start with '@'"],
    ['a: ]', 'NOETL_YAML_SYNTAX', '1:4', "a value cannot start with ']'"],
    ['a: |x\n  y', 'NOETL_YAML_SYNTAX', '1:4', "'|' starts a block of text"],
    ['a: |\n    x\n  y\n', 'NOETL_YAML_SYNTAX', '3:3', 'this line is indented less than the block of text it follows'],
    ['a: *x', 'NOETL_YAML_SYNTAX', '1:4', "the alias '*x' has no anchor before it"],
    ['a: &x [*x]', 'NOETL_YAML_SYNTAX', '1:8', "the alias '*x' has no anchor before it"],
    ['a: & b', 'NOETL_YAML_SYNTAX', '1:4', 'a name is missing here'],
    ['a: &x &y b', 'NOETL_YAML_SYNTAX', '1:7', 'a value cannot have two anchors'],
    ['a: &x 1\nb: &y *x', 'NOETL_YAML_SYNTAX', '2:7', 'a value cannot have two anchors, nor an alias one'],
    ['&x a: 1', 'NOETL_YAML_UNSUPPORTED', '1:4', 'an anchor before a key or a list item'],
    // On purpose.
    ['a: !str x', 'NOETL_YAML_UNSUPPORTED', '1:4', 'tags are not supported'],
    ['a: [!!js/function x]', 'NOETL_YAML_UNSUPPORTED', '1:5', 'tags are not supported'],
    ['? a\n: b', 'NOETL_YAML_UNSUPPORTED', '1:1', "'? ' keys are not supported"],
    ['a: 1\n? b', 'NOETL_YAML_UNSUPPORTED', '2:1', "'? ' keys are not supported"],
    ['[a: 1]', 'NOETL_YAML_UNSUPPORTED', '1:3', "a key and value inside of '[…]'"],
    ['%YAML 1.2\n---\na: 1', 'NOETL_YAML_UNSUPPORTED', '1:1', 'directives are not supported'],
    ['a: 1\n---\nb: 2', 'NOETL_YAML_UNSUPPORTED', '2:1', 'a second document in the file'],
    ['a: 1\n...\n---\nb: 2', 'NOETL_YAML_UNSUPPORTED', '3:1', 'a second document in the file'],
    ['<<: 1', 'NOETL_YAML_UNSUPPORTED', '1:1', "merge keys ('<<') are not supported"],
    ['__proto__: 1', 'NOETL_YAML_UNSUPPORTED', '1:1', "the key '__proto__' is not allowed"],
    ['{a: {"__proto__": {polluted: 1}}}', 'NOETL_YAML_UNSUPPORTED', '1:6', "the key '__proto__' is not allowed"],
    ['a: 1\nb: 2\na: 3', 'NOETL_YAML_DUPLICATE_KEY', '3:1', "the key 'a' stands in this mapping twice"],
    ['{a: 1, "a": 2}', 'NOETL_YAML_DUPLICATE_KEY', '1:8', "the key 'a' stands in this mapping twice"],
    [
      'a: 9007199254740993',
      'NOETL_YAML_NUMBER',
      '1:4',
      'the integer 9007199254740993 is beyond 2^53 and would lose digits',
    ],
    [
      'a: -9007199254740993',
      'NOETL_YAML_NUMBER',
      '1:4',
      'the integer -9007199254740993 is beyond 2^53 and would lose digits',
    ],
    ['a: 1e20', 'NOETL_YAML_NUMBER', '1:4', 'the integer 1e20 is beyond 2^53 and would lose digits'],
    ['a: .nan', 'NOETL_YAML_NUMBER', '1:4', "'.nan' is a number that JSON cannot carry"],
    ['a: -.inf', 'NOETL_YAML_NUMBER', '1:4', "'-.inf' is a number that JSON cannot carry"],
    ['a: 1e999', 'NOETL_YAML_NUMBER', '1:4', "'1e999' is a number that JSON cannot carry"],
    [
      'a: {{ b }}',
      'NOETL_YAML_UNQUOTED_TEMPLATE',
      '1:4',
      'a template must be quoted: in YAML a bare { starts a mapping',
    ],
    [
      'a: [x {{ b }}]',
      'NOETL_YAML_UNQUOTED_TEMPLATE',
      '1:7',
      'a template must be quoted: in YAML a bare { starts a mapping',
    ],
    [
      'a: {b: {{ c }}}',
      'NOETL_YAML_UNQUOTED_TEMPLATE',
      '1:8',
      'a template must be quoted: in YAML a bare { starts a mapping',
    ],
    ['a: x\0y', 'NOETL_YAML_ENCODING', '1:5', 'a character that is no text: the file is not UTF-8, or is damaged'],
    ['a: \ud800', 'NOETL_YAML_ENCODING', '1:4', 'a character that is no text: the file is not UTF-8, or is damaged'],
    ['a: \udc00x', 'NOETL_YAML_ENCODING', '1:4', 'a character that is no text: the file is not UTF-8, or is damaged'],
    [
      'a:\nb: \ufffd',
      'NOETL_YAML_ENCODING',
      '2:4',
      'a character that is no text: the file is not UTF-8, or is damaged',
    ],
  ])('%j is %s at %s', (source, code, at, message) => {
    const found = failure(source);
    expect({ code: found.code, at: found.at, message: found.message }).toEqual({ code, at, message });
  });

  it('keeps an unsafe integer that is quoted', () => {
    expect(failure('a: 9007199254740993').hint).toBe('Quote it to keep it exactly: "9007199254740993".');
    expect(read('a: "9007199254740993"')).toEqual({ a: '9007199254740993' });
  });

  it('reads an emoji, which is a pair of surrogates', () => {
    expect(read('a: 😀')).toEqual({ a: '😀' });
  });
});
