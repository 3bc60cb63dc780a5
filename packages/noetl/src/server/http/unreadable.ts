import type { Socket } from 'node:net';
import { Problem } from './problem.ts';

/** What is no HTTP is answered, too, with a problem; then the connection ends, since nobody knows where a next request begins. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error);
    return;
  }
  const document = problemOf(error.code).document();
  const body = `${JSON.stringify(document)}\n`;
  const head = [
    `HTTP/1.1 ${document.status} ${REASONS[document.status] ?? 'Bad Request'}`,
    'content-type: application/problem+json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

const REASONS: Readonly<Record<number, string>> = { 413: 'Content Too Large' };

function problemOf(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('NOETL_API_TOO_LARGE', 'the head of the request is too large. Send fewer or shorter headers.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem(
        'NOETL_API_REQUEST',
        'the request has not come to its end in time. Send it again, as a whole.',
      );
    default:
      return new Problem('NOETL_API_REQUEST', 'this is no request of HTTP/1.1 that can be read.');
  }
}
