/** The templates and data of the template scenarios: what a playbook's routing and arguments look like. */
export const PREDICATE = "{{ outcome.status == 'error' and outcome.http.status in [429, 500] }}";

export const TEN_EXPRESSIONS: readonly string[] = [
  PREDICATE,
  '{{ workload.api_url }}',
  '{{ ctx.page + 1 }}',
  "{{ outcome.result.next | default('') }}",
  '{{ outcome.result.rows | length > 0 }}',
  '{{ workload.api_url }}/items/{{ iter.id }}',
  "{{ 'retry' if outcome.error.retryable else 'stop' }}",
  '{{ iter.name | upper }}',
  '{{ ctx.seen[0].id }}',
  "{{ workload.flags.dry_run and not workload['flags'].force }}",
];

export function smallContext(): Record<string, unknown> {
  return {
    workload: { api_url: 'https://api.example.test', flags: { dry_run: true, force: false } },
    ctx: { page: 3, seen: [{ id: 17 }] },
    iter: { id: 42, name: 'alpha' },
    outcome: {
      status: 'error',
      http: { status: 500, headers: { 'retry-after': '2' } },
      error: { code: 'E42', retryable: true },
      result: { rows: [{ n: 1 }, { n: 2 }], next: null },
    },
  };
}

/** The small context with about 5 MB of rows beside and inside what the templates read. */
export function largeContext(): Record<string, unknown> {
  const context = smallContext();
  const rows = Array.from({ length: 20_000 }, (_, id) => ({
    id,
    name: `row number ${id}`,
    city: 'Some City Name',
    tags: ['alpha', 'beta', 'gamma'],
    note: 'x'.repeat(150),
  }));
  return { ...context, rows, ctx: { page: 3, seen: rows }, archive: { rows } };
}
