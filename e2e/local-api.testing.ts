import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface ApiAnswer {
  readonly status?: number;
  readonly body: unknown;
}

/** A real HTTP server on this machine that answers as it is told, and remembers what it was asked. */
export interface LocalApi {
  readonly url: string;
  readonly requests: readonly ApiRequest[];
  /** Requests that are neither answered nor broken off. */
  readonly underWay: number;
  /** The most requests that were under way at one time. */
  readonly mostAtOnce: number;
  close(): Promise<void>;
}

export async function openLocalApi(
  answer: (request: ApiRequest, nth: number) => ApiAnswer | Promise<ApiAnswer>,
): Promise<LocalApi> {
  const requests: ApiRequest[] = [];
  let underWay = 0;
  let mostAtOnce = 0;
  const server = createServer(async (incoming, response) => {
    mostAtOnce = Math.max(mostAtOnce, ++underWay);
    // What an answer is depends on the request alone, and can be compared.
    response.sendDate = false;
    response.once('close', () => {
      underWay -= 1;
    });
    const { pathname: path, searchParams: query } = new URL(incoming.url ?? '/', 'http://localhost');
    const request = {
      method: incoming.method ?? 'GET',
      path,
      query,
      headers: incoming.headers,
      body: await text(incoming),
    };
    requests.push(request);
    const { status = 200, body } = await answer(request, requests.length);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('a server without a port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    get underWay() {
      return underWay;
    },
    get mostAtOnce() {
      return mostAtOnce;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
