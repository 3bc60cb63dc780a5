import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createClient } from './client.ts';

const ENDED = 'id: 1\nevent: playbook.processed\ndata: {"seq":1,"name":"playbook.processed"}\n\n';

const cutOff = (): ReadableStream =>
  new ReadableStream({
    pull: (controller) => controller.error(new Error('cut off')),
  });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('live events wait as long as the server is there, however often an idle connection is cut', async () => {
  let asked = 0;
  const cutting: typeof fetch = async () => {
    asked += 1;
    return new Response(asked <= 200 ? cutOff() : ENDED);
  };
  const live = createClient({ url: 'http://127.0.0.1:1', fetch: cutting }).executions.live('one');
  const next = live.next();
  next.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(200_000);
  expect((await next).value?.name).toBe('playbook.processed');
});

it('live events give up a server that is away for a minute', async () => {
  const away: typeof fetch = () => Promise.reject(new Error('away'));
  const next = createClient({ url: 'http://127.0.0.1:1', fetch: away }).executions.live('one').next();
  const failed = expect(next).rejects.toThrow('away');
  await vi.advanceTimersByTimeAsync(70_000);
  await failed;
});
