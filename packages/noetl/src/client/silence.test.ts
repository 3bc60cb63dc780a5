import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createClient } from './client.ts';
import { ServerUnreachable } from './server-error.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A server that says nothing so many times, and then answers. */
function silent(times: number, answer: () => Response) {
  const asked: string[] = [];
  const send: typeof fetch = (url, { method, signal } = {}) => {
    asked.push(`${method} ${new URL(String(url)).pathname}`);
    if (asked.length > times) return Promise.resolve(answer());
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  };
  return { asked, client: createClient({ url: 'http://127.0.0.1:1', fetch: send }) };
}

const VERSION = '{"version":"1","api":1}';

it('what is read is asked again where nothing is heard, as on a connection that died without a word', async () => {
  const { asked, client } = silent(1, () => new Response(VERSION));
  const answer = client.version();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await answer).toEqual({ version: '1', api: 1 });
  expect(asked).toEqual(['GET /api/version', 'GET /api/version']);
});

it('a server that stays silent does not answer', async () => {
  const { client } = silent(9, () => new Response(VERSION));
  const failed = expect(client.version()).rejects.toThrow(
    'the server http://127.0.0.1:1 does not answer: nothing was heard of it for 30 s.',
  );
  await vi.advanceTimersByTimeAsync(60_000);
  await failed;
});

it('what changes something is not asked again, but for a start with a key, which begins once', async () => {
  const { asked, client } = silent(9, () => new Response('{}'));
  const failed = expect(client.executions.signal('x', { name: 'go' })).rejects.toBeInstanceOf(ServerUnreachable);
  await vi.advanceTimersByTimeAsync(60_000);
  await failed;
  expect(asked).toEqual(['POST /api/executions/x/signal']);

  const keyed = silent(1, () => new Response('{"execution_id":"x"}'));
  const started = keyed.client.executions.start({ path: 'p' }, 'the key');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await started).toEqual({ execution_id: 'x' });
  expect(keyed.asked).toHaveLength(2);
});

it('an answer that stops on its way is none', async () => {
  const begun = new ReadableStream<Uint8Array>({ start: (body) => body.enqueue(Buffer.from('{"version"')) });
  const { client } = silent(0, () => new Response(begun));
  const failed = expect(client.version()).rejects.toThrow('nothing was heard of it for 30 s.');
  await vi.advanceTimersByTimeAsync(30_000);
  await failed;
});

it('live events go on over another connection where nothing is heard, not even a sign of life', async () => {
  const { asked, client } = silent(
    0,
    () =>
      new Response(
        asked.length === 1
          ? new ReadableStream<Uint8Array>({ start: (body) => body.enqueue(Buffer.from(': nothing new\n\n')) })
          : 'id: 1\nevent: playbook.processed\ndata: {"seq":1,"name":"playbook.processed"}\n\n',
      ),
  );
  const next = client.executions.live('one').next();
  await vi.advanceTimersByTimeAsync(31_000);
  expect((await next).value?.name).toBe('playbook.processed');
});
