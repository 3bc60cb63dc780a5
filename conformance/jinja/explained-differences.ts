import type { EngineAnswer, JinjaAnswer } from './fuzzing/answer.ts';
import type { FuzzCase } from './fuzzing/fuzz-case.ts';

/**
 * A place where the engine deviates from Jinja2 on purpose. The fuzzer accepts a difference only if one of these
 * explains it: either the oracle, told to deviate in the same way (`adjusts`), gives our answer; or `explains`
 * recognises the two answers; or, with neither, the fuzzer never writes such a template. docs/reference/template-differences.md holds the same list, kept equal by a test.
 */
export interface ExplainedDifference {
  readonly name: string;
  readonly reason: string;
  /** A template that shows it, what Jinja2 gives for it and what we give. */
  readonly example: {
    readonly template: string;
    readonly jinja: string;
    readonly ours: string;
    /** The last digits depend on the machine's libraries, so no test expects them. */
    readonly varies?: true;
  };
  readonly adjusts?: true;
  readonly explains?: (difference: Difference) => boolean;
}

interface Difference {
  readonly case: FuzzCase;
  readonly source: string;
  readonly jinja: JinjaAnswer;
  readonly engine: EngineAnswer;
}

/** The data every example runs on. */
export const EXAMPLE_CONTEXT = { order: { items: ['nail'], qty: 2 }, list: [2, 1], text: 'aé😀' };

export const EXPLAINED_DIFFERENCES: readonly ExplainedDifference[] = [
  {
    name: 'item-first',
    reason:
      'Playbook data has keys such as `items`, `keys` and `values`. `x.items` reads the key; only a call reaches the method. A method name without a key of that name is undefined, and an error where it is printed, walked or measured.',
    example: { template: '{{ order.items }}', jinja: '<built-in method items of …>', ours: "['nail']" },
    adjusts: true,
    // What the adjusted Jinja2 still lets pass as a method, such as an item of it.
    explains: ({ engine }) => engine.text.kind === 'error' && engine.text.message.includes('To call the method write'),
  },
  {
    name: 'lazy-lists',
    reason:
      'Values are plain data: dict views and the results of `map`, `select`, `batch` and the other lazy filters are lists, which can be printed, measured, indexed and read twice.',
    example: { template: '{{ list | map("string") }}', jinja: '<generator object …>', ours: "['2', '1']" },
    adjusts: true,
  },
  {
    name: 'scope-read-only',
    reason:
      "The caller's data is never changed: a mutating method works on what the template made, and is an error on scope data.",
    example: { template: '{{ list.append(3) }}', jinja: 'None', ours: 'error' },
    adjusts: true,
  },
  {
    name: 'escaped-text-arguments',
    reason: 'The methods `partition` and `rpartition` of escaped text take a text, as they do on any other text.',
    example: { template: "{{ ('1' | escape).partition(1) | length }}", jinja: '3', ours: 'error' },
    adjusts: true,
  },
  {
    name: 'no-complex-numbers',
    reason: 'There are no complex numbers: a fractional power of a negative number is an error.',
    example: { template: '{{ (-4) ** 0.5 }}', jinja: '(1.2246467991473532e-16+2j)', ours: 'error' },
    adjusts: true,
  },
  {
    name: 'last-digit-of-power',
    reason:
      'A fractional power is computed by the JavaScript engine, whose last digit may differ from that of the C library.',
    example: { template: '{{ list[0] ** 1.5 }}', jinja: '2.8284271247461903', ours: '2.82842712474619', varies: true },
    explains: ({ source, jinja, engine }) =>
      source.includes('**') && jinja.text !== undefined && nearlySameText(jinja.text, engine),
  },
  {
    name: 'comment-at-the-end',
    reason:
      'A comment that is opened as the very last thing of a template is an error like any other that is not closed.',
    example: { template: 'a{#', jinja: 'a', ours: 'error' },
    explains: ({ source }) => /\{#[-+]?\n?$/.test(source),
  },
  {
    name: 'range-in-json',
    reason: 'A range is a list to whoever reads it, so `tojson` writes it as one; Python refuses.',
    example: { template: '{{ range(2) | tojson }}', jinja: 'error', ours: '[0, 1]' },
    explains: ({ source, jinja }) => /range/.test(source) && /type range is not JSON/.test(jinja.message ?? ''),
  },
  {
    name: 'newer-unicode',
    reason:
      'Which characters are letters comes from the Unicode tables of the JavaScript engine, which are newer than those of Python 3.11.',
    example: { template: "{{ ('%c' | format(204193)).isalnum() }}", jinja: 'False', ours: 'True', varies: true },
    explains: ({ source }) => /\b20[1-5]\d{3}\b/.test(source) && /%c/.test(source),
  },
  {
    name: 'value-of-filter-block',
    reason:
      'A filter block whose filter gives something else than text prints it; Jinja2 fails while it joins the output.',
    example: { template: '{% filter length %}abc{% endfilter %}', jinja: 'error', ours: '3' },
    explains: ({ source, jinja, engine }) =>
      /\{%[-+]? *filter /.test(source) &&
      /expected str instance/.test(jinja.message ?? '') &&
      engine.text.kind === 'value',
  },
  {
    name: 'argument-given-twice',
    reason:
      'A macro that gets an argument by position and by name is always an error; Jinja2 puts the second into `kwargs` if the macro reads that.',
    example: {
      template: '{% macro m(a) %}{{ kwargs }}{% endmacro %}{{ m(1, a=2) }}',
      jinja: "{'a': 2}",
      ours: 'error',
    },
    explains: ({ engine }) => engine.text.kind === 'error' && /got the argument '\w+' twice/.test(engine.text.message),
  },
  {
    name: 'raw-block-at-the-end',
    reason: 'A raw block that is never closed is an error also when nothing follows its opening.',
    example: { template: 'x{% raw %}', jinja: 'x', ours: 'error' },
    explains: ({ source, jinja, engine }) =>
      /\{%[-+]?\s*raw\s*[-+]?%\}\s*$/.test(source) &&
      jinja.text !== undefined &&
      failsWith(engine, 'NOETL_TEMPLATE_SYNTAX'),
  },
  {
    name: 'repeated-nothing',
    reason:
      'Nothing repeated any number of times is nothing; Jinja2 fails when the number does not fit a machine word.',
    example: { template: '{{ [] * 10 ** 20 }}', jinja: 'error', ours: '[]' },
    explains: ({ source, jinja, engine }) =>
      source.includes('*') && jinja.textError === 'OverflowError' && engine.text.kind === 'value',
  },
  {
    name: 'limits',
    reason:
      'A template may use only so many steps, so much text and so deep a nesting; beyond that it ends in an error.',
    example: { template: "{{ ('x' * 2000000) | length }}", jinja: '2000000', ours: 'error' },
    explains: ({ jinja, engine }) => jinja.text !== undefined && failsWith(engine, 'NOETL_TEMPLATE_LIMIT'),
  },
  {
    name: 'macro-before-set',
    reason:
      'A macro called before the template sets a name of the scope sees the value of the scope; in Jinja2 the later `set` hides it from the beginning.',
    example: {
      template: '{% macro m() %}{{ text }}{% endmacro %}{{ m() }}{% set text = 1 %}{{ m() }}',
      jinja: '1',
      ours: 'aé😀1',
    },
    explains: ({ source, jinja, case: { context } }) =>
      jinja.text !== undefined &&
      [...source.matchAll(/\{%[-+]? *macro .*?\{%[-+]? *set (\w+)/gs)].some(([, name = '']) => name in context),
  },
  {
    name: 'one-text',
    reason: 'A template is one text: `include`, `extends`, `import` and `block` would load or build on another one.',
    example: { template: '{% block a %}x{% endblock %}', jinja: 'x', ours: 'error' },
  },
  {
    name: 'no-autoescape',
    reason: 'Playbooks make requests and queries, not pages; text is escaped where a filter says so.',
    example: { template: "{% autoescape true %}{{ '<' }}{% endautoescape %}", jinja: '&lt;', ours: 'error' },
  },
  {
    name: 'no-bytes',
    reason: 'JSON has no bytes: `encode` is not among the methods of text. Use `b64encode` or `sha256`.',
    example: { template: '{{ text.encode() | length }}', jinja: '7', ours: 'error' },
  },
];

export const ADJUSTMENTS = EXPLAINED_DIFFERENCES.filter((difference) => difference.adjusts).map(({ name }) => name);

function failsWith(engine: EngineAnswer, code: string): boolean {
  return engine.text.kind === 'error' && engine.text.code === code;
}

/** The same text but for the last digits of numbers, of which 13 count. */
function nearlySameText(text: string, engine: EngineAnswer): boolean {
  if (engine.text.kind !== 'value') return false;
  const shortened = (whole: string) =>
    whole.replace(/\d+(?:\.\d+)?(?:e[+-]\d+)?/g, (number) => Number(number).toPrecision(13));
  return shortened(text) === shortened(String(engine.text.value));
}
