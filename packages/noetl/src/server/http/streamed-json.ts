import { isTooDeep, tooDeepMessage } from '@noetl/engine';
import { Problem } from './problem.ts';

/** JSON of a stream, at most so many bytes. Numbers are what they were for who sent them: another part of this program. */
export async function streamedJson(stream: AsyncIterable<Uint8Array>, mostBytes: number): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of stream) {
    bytes += piece.length;
    if (bytes > mostBytes)
      throw new Problem('NOETL_API_TOO_LARGE', `the request has more than ${mostBytes} bytes. Send it in parts.`);
    pieces.push(piece);
  }
  let body: unknown;
  try {
    body = JSON.parse(Buffer.concat(pieces).toString('utf8'));
  } catch {
    throw new Problem('NOETL_API_REQUEST', 'body: is no JSON. Send an object of the type application/octet-stream.');
  }
  if (isTooDeep(body)) throw new Problem('NOETL_DATA_TOO_DEEP', tooDeepMessage('the body'));
  return body;
}
