import type { Clock } from '../../ports/clock.ts';
import { repeatedly } from '../../repeatedly.ts';
import type { Access } from './access.ts';

/** How often it is looked whether who asked may still ask, in milliseconds. */
const LOOK = 500;

/** Requests whose answers take long: live events, claims that wait for work. */
export interface OpenRequests {
  /** Aborts the request when its caller may not ask any more; the returned function says that it is answered. */
  hold(authorization: string | undefined, request: AbortController): () => void;
  /** Aborts them all, and those that come later. */
  close(): Promise<void>;
}

/** SEC-4: a token that is revoked or expires ends what was begun with it, too. Each is looked up once, however many requests it has. */
export function watchOpenRequests(access: Access, clock: Clock): OpenRequests {
  const open = new Map<string | undefined, Set<AbortController>>();

  async function look(): Promise<void> {
    for (const [authorization, requests] of [...open]) {
      const caller = await access.callerOf(authorization);
      if ('refused' in caller) for (const request of requests) request.abort();
    }
  }

  const stop = repeatedly(clock, LOOK, look);
  let closed = false;
  return {
    hold(authorization, request) {
      if (closed) request.abort();
      const requests = open.get(authorization) ?? new Set();
      open.set(authorization, requests.add(request));
      return () => {
        requests.delete(request);
        if (requests.size === 0 && open.get(authorization) === requests) open.delete(authorization);
      };
    },
    async close() {
      closed = true;
      for (const requests of open.values()) for (const request of requests) request.abort();
      await stop();
    },
  };
}
