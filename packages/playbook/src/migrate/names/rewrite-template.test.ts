import { describe, expect, it } from 'vitest';
import { type Rewrite, rewriteTemplate } from './rewrite-template.ts';
import { pathText } from './static-path.ts';

/** `{ 'a.b': 'x or y' }`: what becomes of references. */
const references = (table: Readonly<Record<string, string>>): Rewrite => ({
  reference: ({ name, path }) => {
    for (let covers = path.length; covers >= 0; covers--) {
      const text = table[pathText(name, path.slice(0, covers))];
      if (text !== undefined) return { text, rule: 'name-vars', covers };
    }
    return undefined;
  },
});

const rewritten = (source: string, table: Readonly<Record<string, string>>): string =>
  rewriteTemplate(source, references(table)).text;

describe('references', () => {
  it.each([
    ['{{ vars.x }}', '{{ ctx.x }}'],
    ["{{ vars['x'] }} and {{vars . y|upper}}", "{{ ctx['x'] }} and {{ctx . y|upper}}"],
    ['{{ vars[0] ~ vars[key] }}', '{{ ctx[0] ~ ctx[key] }}'],
    ["{{ vars.get('x', vars.y) }}", "{{ ctx.get('x', ctx.y) }}"],
    ['{{ vars.x is defined and vars.x | default(vars.y) }}', '{{ ctx.x is defined and ctx.x | default(ctx.y) }}'],
    ['{{ (vars).x }}', '{{ (ctx).x }}'],
    ['{{ other.vars.x }} vars.x {# vars.x #}', '{{ other.vars.x }} vars.x {# vars.x #}'],
    ["{{ 'vars.x' ~ vars.x }}", "{{ 'vars.x' ~ ctx.x }}"],
    ['{{ f(vars=vars.x, **vars) }}', '{{ f(vars=ctx.x, **ctx) }}'],
    ["{{ {'vars': vars, 'b': [vars.x, (1, vars.y)]} }}", "{{ {'vars': ctx, 'b': [ctx.x, (1, ctx.y)]} }}"],
    ['{% raw %}{{ vars.x }}{% endraw %}{{ vars.x }}', '{% raw %}{{ vars.x }}{% endraw %}{{ ctx.x }}'],
    ['{%- if vars.x -%}a{%- elif vars.y -%}b{%- endif -%}', '{%- if ctx.x -%}a{%- elif ctx.y -%}b{%- endif -%}'],
    ['{{ vars.a[vars.b:vars.c] }}', '{{ ctx.a[ctx.b:ctx.c] }}'],
    ["{{ '%s' % vars.x if vars.y else None }}", "{{ '%s' % ctx.x if ctx.y else None }}"],
    ["{{ rows | map(attribute='vars.x') | selectattr('vars') | list }}", undefined],
  ])('%s', (source, expected) => {
    expect(rewritten(source, { vars: 'ctx' })).toBe(expected ?? source);
  });

  it('takes the longest that is known', () => {
    const table = { 'r.status': 'outcome.http.status', r: 'outcome.result' };
    expect(rewritten('{{ r.status }} {{ r.x }} {{ r["status"] }} {{ r }}', table)).toBe(
      '{{ outcome.http.status }} {{ outcome.result.x }} {{ outcome.http.status }} {{ outcome.result }}',
    );
  });

  it('leaves names that the template assigns itself', () => {
    const source =
      '{{ x }}{% set x = x.y %}{{ x }}{% for y in x %}{{ y }}{{ z }}{% endfor %}{% macro m(z) %}{{ z }}{% endmacro %}{{ y }}';
    expect(rewritten(source, { x: 'a', y: 'b', z: 'c' })).toBe(
      '{{ a }}{% set x = a.y %}{{ x }}{% for y in x %}{{ y }}{{ c }}{% endfor %}{% macro m(z) %}{{ z }}{% endmacro %}{{ b }}',
    );
  });

  it.each([
    ['{{ r.x }}', '{{ (a or b).x }}'],
    ['{{ r }}', '{{ a or b }}'],
    ['{{ r | length }}', '{{ (a or b) | length }}'],
    ['{{ (r) | length }}', '{{ (a or b) | length }}'],
    ['{{ not r and c }}', '{{ not (a or b) and c }}'],
    ['{{ r or c }}', '{{ a or b or c }}'],
    ['{{ c or r }}', '{{ c or (a or b) }}'],
    ['{{ [r, c] }}', '{{ [a or b, c] }}'],
    ['{{ f(r)[r] }}', '{{ f(a or b)[a or b] }}'],
    ['{{ c if r else r }}', '{{ c if a or b else a or b }}'],
    ['{{ r == 1 }}', '{{ (a or b) == 1 }}'],
    ['{{ (r).x }}', '{{ (a or b).x }}'],
    ['{{ -r }}', '{{ -(a or b) }}'],
    ['{{ r is defined }}', '{{ (a or b) is defined }}'],
  ])('keeps together what belongs together: %s', (source, expected) => {
    expect(rewritten(source, { r: 'a or b' })).toBe(expected);
  });

  it('adds no parentheses to what has some', () => {
    expect(rewritten('{{ r.x }}', { r: '(a or b)' })).toBe('{{ (a or b).x }}');
    expect(rewritten('{{ (r.x) | f }}', { 'r.x': 'a or b' })).toBe('{{ (a or b) | f }}');
  });

  it('replaces a reference with parentheses inside as a whole', () => {
    expect(rewritten('{{ ((r).x).y + 1 }}', { 'r.x.y': 'z' })).toBe('{{ z + 1 }}');
    expect(rewritten("{{ (')' ~ r).y + (r)['('] }}", { "r['(']": 'z', r: 's' })).toBe("{{ (')' ~ s).y + z }}");
  });
});

describe('compared constants', () => {
  const statuses: Rewrite = {
    compared: ({ name, path }, constant) =>
      pathText(name, path) === 'outcome.status' && constant === 'success'
        ? { text: "'ok'", rule: 'name-status' }
        : undefined,
  };
  it.each([
    ["{{ outcome.status == 'success' }}", "{{ outcome.status == 'ok' }}"],
    ['{{ outcome["status"]!="success" }}', '{{ outcome["status"]!="ok" }}'],
    ["{{ 'success' == outcome.status }}", "{{ 'ok' == outcome.status }}"],
    ["{{ outcome.status in ['success', 'error'] }}", "{{ outcome.status in ['ok', 'error'] }}"],
    ["{{ outcome.status not in ('success',) }}", "{{ outcome.status not in ('ok',) }}"],
    ["{{ outcome.status is eq 'success' }}", "{{ outcome.status is eq 'ok' }}"],
    ["{{ outcome.status | default('success') == 'success' }}", "{{ outcome.status | default('ok') == 'ok' }}"],
    ["{{ other.status == 'success' and x == 'success' }}", "{{ other.status == 'success' and x == 'success' }}"],
    [
      "{% set outcome = x %}{{ outcome.status == 'success' }}",
      "{% set outcome = x %}{{ outcome.status == 'success' }}",
    ],
  ])('%s', (source, expected) => {
    expect(rewriteTemplate(source, statuses).text).toBe(expected);
  });
});

describe('whole expressions', () => {
  const rewrite: Rewrite = {
    ...references({ vars: 'ctx' }),
    expression: (node, textOf) =>
      node.kind === 'test' && node.name === 'defined'
        ? { text: `${textOf(node.value)} != none or x`, rule: 'name-result' }
        : undefined,
  };
  it('take the place of others, with what is inside rewritten', () => {
    expect(rewriteTemplate('{{ not vars.x is defined and vars.y }}', rewrite).text).toBe(
      '{{ not (ctx.x != none or x) and ctx.y }}',
    );
  });
});

describe('what is reported', () => {
  it('every change with its place', () => {
    const { edits, changes } = rewriteTemplate('a {{ vars.x + vars.y }}', references({ 'vars.y': 'ctx.z' }));
    expect(edits).toEqual([{ start: 14, end: 20, text: 'ctx.z' }]);
    expect(changes).toEqual([{ rule: 'name-vars', from: 'vars.y', to: 'ctx.z', at: 14, review: undefined }]);
  });

  it('a template that is none, with the place of the mistake', () => {
    const { text, edits, problem } = rewriteTemplate('a {{ .Tag }} {{ vars.x }}', references({ vars: 'ctx' }));
    expect({ text, edits }).toEqual({ text: 'a {{ .Tag }} {{ vars.x }}', edits: [] });
    expect(problem).toMatchObject({ at: 5, message: expect.stringContaining("'.'") });
  });

  it('a new name that the template hides', () => {
    const { edits, problem } = rewriteTemplate(
      '{% for ctx in vars.all %}{{ vars.x }}{% endfor %}',
      references({ vars: 'ctx' }),
    );
    expect(edits).toEqual([]);
    expect(problem).toMatchObject({ at: 28, message: expect.stringContaining("'ctx' is assigned by the template") });
  });

  it('what cannot be translated', () => {
    const { edits, problem } = rewriteTemplate('{{ vars.x }}', {
      reference: () => ({ problem: 'it has no successor', hint: 'Think.' }),
    });
    expect({ edits, problem }).toEqual({
      edits: [],
      problem: { at: 3, message: 'it has no successor', hint: 'Think.' },
    });
  });

  it('nothing where a filter does not exist', () => {
    expect(rewritten('{{ vars.x | nosuch }}', { vars: 'ctx' })).toBe('{{ ctx.x | nosuch }}');
  });
});
