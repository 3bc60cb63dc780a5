/** Templates that try to take the machine: each must end in an error, soon and in little memory. */
export const HOSTILE_INPUTS: Readonly<Record<string, string>> = {
  'billion-loop': '{% for i in range(1000000000) %}{{ i }}{% endfor %}',
  'cubed-loops':
    '{% for i in range(3000) %}{% for j in range(3000) %}{% for k in range(3000) %}{% endfor %}{% endfor %}{% endfor %}',
  'billion-characters': "{{ 'x' * 10**9 }}",
  parentheses: `{{ ${'('.repeat(20_000)}1${')'.repeat(20_000)} }}`,
  recursion: '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}',
  doubling:
    "{% set ns = namespace(s='x') %}{% for i in range(64) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}{{ ns.s | length }}",
  'list-doubling':
    '{% set ns = namespace(l=[1]) %}{% for i in range(64) %}{% set ns.l = ns.l + ns.l %}{% endfor %}{{ ns.l | length }}',
  'huge-power': '{{ 10 ** (10 ** 9) }}',
  'wide-format': "{{ '%1000000000d' % 1 }}",
  'nested-json':
    '{% set ns = namespace(v=[]) %}{% for i in range(40) %}{% set ns.v = [ns.v, ns.v] %}{% endfor %}{{ ns.v | tojson }}',
};
