import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A server on this machine that answers as it is told, and remembers what it was asked. */
export interface Api {
  readonly url: string;
  readonly seen: {
    readonly method: string;
    readonly url: string;
    readonly headers: IncomingMessage['headers'];
    readonly body: string;
    readonly bytes: Buffer;
  }[];
  answer: Answer;
  readonly server: Server;
}

export async function openApi(): Promise<Api> {
  const api: { answer: Answer } & Pick<Api, 'seen'> = { answer: (_, response) => response.end(), seen: [] };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const body = bytes.toString();
    api.seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body, bytes });
    api.answer(request, response, body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return Object.assign(api, { server, url: `http://127.0.0.1:${port}` });
}
