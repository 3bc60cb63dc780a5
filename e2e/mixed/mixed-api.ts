import { type ApiAnswer, type ApiRequest, type LocalApi, openLocalApi } from '../local-api.testing.ts';

/** What executions ask for by the tag that they were given. */
interface Wishes {
  /** An execution is about to wait for a signal. */
  asked(tag: string): void;
  /** An execution waits for an answer that never comes: it is to be cancelled. */
  hangs(tag: string): void;
}

/** The API that all executions call. What it answers depends on who asks, and on nothing else. */
export async function openMixedApi({ asked, hangs }: Wishes): Promise<LocalApi> {
  const failed = new Map<string, number>();
  const answers: Readonly<Record<string, (of: ApiRequest) => ApiAnswer | Promise<ApiAnswer>>> = {
    '/item': async ({ query }) => {
      await new Promise((wake) => setTimeout(wake, 10));
      return { body: { square: Number(query.get('n')) ** 2 } };
    },
    '/flaky': ({ query }) => {
      const tag = query.get('tag') ?? '';
      const failures = failed.get(tag) ?? 0;
      if (failures >= Number(query.get('failures'))) return { body: { answer: 42 } };
      failed.set(tag, failures + 1);
      return { status: 503, body: {} };
    },
    '/page': ({ query }) => {
      const [page, total, size] = [Number(query.get('page')), Number(query.get('total')), 2];
      const items = Array.from({ length: size }, (_, nth) => (page - 1) * size + nth).filter((item) => item < total);
      return { body: { items, more: page * size < total } };
    },
    '/number': ({ query }) =>
      /^\d+$/.test(query.get('text') ?? '') ? { body: { fine: true } } : { status: 422, body: { fine: false } },
    '/asked': ({ query }) => {
      asked(query.get('tag') ?? '');
      return { body: {} };
    },
    '/hang': ({ query }) => {
      hangs(query.get('tag') ?? '');
      return new Promise(() => undefined);
    },
  };
  return openLocalApi((request) => answers[request.path]?.(request) ?? { status: 404, body: {} });
}
