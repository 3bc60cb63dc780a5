import type { Json } from '@noetl/playbook';
import { type ApiAnswer, type ApiRequest, type LocalApi, openLocalApi } from '../../e2e/local-api.testing.ts';

/** As many as every endpoint has. */
const TOTAL = 35;
/** Pages of one patient and kind of data. */
const PATIENT_PAGES = 2;
const KIB = 1024;

/** Answers what the paginated API of the playbooks' authors answered, as far as their playbooks ask for it. */
export function openStandInApi(): Promise<LocalApi> {
  /** Pages that have failed already. */
  const failed = new Set<string>();
  let lastAnswered = 0;
  return openLocalApi((request) => {
    const { path } = request;
    if (path === '/api/v1/flaky/reset') {
      failed.clear();
      return { body: { status: 'reset' } };
    }
    if (path === '/api/v1/flaky') return flaky(request, failed);
    if (path === '/api/v1/rate-limited') {
      const early = Date.now() - lastAnswered < 1000 / number(request, 'requests_per_second', 10);
      if (early) return { status: 429, body: { error: 'too many requests' } };
      lastAnswered = Date.now();
      return { body: page(request, rows(TOTAL)) };
    }
    return answerOf(request);
  });
}

function answerOf(request: ApiRequest): ApiAnswer {
  const { path, query } = request;
  if (path === '/api/v1/assessments') return { body: page(request, rows(TOTAL)) };
  if (path === '/api/v1/users') return { body: byOffset(request) };
  if (path === '/api/v1/events') return { body: byCursor(request) };
  if (path === '/api/v1/heavy') return { body: page(request, rows(TOTAL, number(request, 'payload_kb', 1) * KIB)) };
  if (path === '/api/v1/errors')
    return { status: query.get('error_type') === 'auth' ? 401 : 500, body: { error: query.get('error_type') } };
  if (path.startsWith('/api/v1/patient/')) return { body: patientPage(request) };
  if (path.startsWith('/api/v1/mds/assessment/'))
    return { body: { assessment_id: path.split('/').at(-1) ?? '', sections: ['A', 'B'] } };
  if (path.endsWith('/health')) return { body: { status: 'ok' } };
  return { status: 404, body: { error: `there is no ${path}` } };
}

/** Fails the first time that it is asked for a page of `fail_on`. */
function flaky(request: ApiRequest, failed: Set<string>): ApiAnswer {
  const wanted = request.query.get('page') ?? '1';
  const fails = (request.query.get('fail_on') ?? '').split(',').includes(wanted);
  if (!fails || failed.has(wanted)) return { body: page(request, rows(TOTAL)) };
  failed.add(wanted);
  return { status: 500, body: { error: 'try again' } };
}

interface Row {
  readonly [field: string]: Json;
}

const rows = (count: number, bytes = 0): Row[] =>
  Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    name: `Assessment ${i + 1}`,
    score: (i * 37) % 101,
    ...(bytes === 0 ? {} : { payload: 'x'.repeat(bytes) }),
  }));

function page(request: ApiRequest, all: readonly Row[]) {
  const [at, size] = [number(request, 'page', 1), number(request, 'pageSize', 10)];
  const paging = { page: at, pageSize: size, total: all.length, hasMore: at * size < all.length };
  return { data: all.slice((at - 1) * size, at * size), paging, meta: { items: all.length } };
}

function byOffset(request: ApiRequest) {
  const [offset, limit] = [number(request, 'offset', 0), number(request, 'limit', 10)];
  return {
    users: rows(TOTAL).slice(offset, offset + limit),
    offset,
    limit,
    total: TOTAL,
    has_more: offset + limit < TOTAL,
  };
}

function byCursor(request: ApiRequest) {
  const [from, limit] = [number(request, 'cursor', 0), number(request, 'limit', 10)];
  const next = from + limit;
  return { events: rows(TOTAL).slice(from, next), limit, next_cursor: next < TOTAL ? String(next) : null };
}

function patientPage(request: ApiRequest) {
  const at = number(request, 'page', 1);
  const kind = request.path.split('/').at(-1) ?? '';
  const patient = number(request, 'patientId', 0);
  return {
    patientId: patient,
    data: [{ patient_id: patient, kind, record: at }],
    paging: { page: at, pageSize: number(request, 'pageSize', 1), total: PATIENT_PAGES, hasMore: at < PATIENT_PAGES },
  };
}

function number({ query }: ApiRequest, name: string, otherwise: number): number {
  const text = query.get(name);
  return text === null || text === '' ? otherwise : Number(text);
}
