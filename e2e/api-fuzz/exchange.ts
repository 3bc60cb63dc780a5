import { connect } from 'node:net';
import type { WireRequest } from './generate.ts';

/** What came back, byte by byte. */
export interface WireAnswer {
  /** Undefined if nothing came. */
  readonly status: number | undefined;
  readonly type: string;
  /** The answer, without those before it that only say to go on. */
  readonly bytes: Buffer;
  /** Whether the server ended the connection, or we did. */
  readonly ended: boolean;
}

/** How long a server that may keep silent is listened to, and one that may not, in milliseconds. */
const SHORT = 250;
const LONG = 30_000;
/** As much of an answer is looked at. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Sends a request over a connection of its own. Rejects if there is no connection to be had. */
export function exchanged(port: number, { bytes, maySilent }: WireRequest): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    let connected = false;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const timer = setTimeout(() => done(false), maySilent ? SHORT : LONG);
    const done = (ended: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ ...answerOf(Buffer.concat(pieces)), ended });
    };
    socket.on('connect', () => {
      connected = true;
      socket.write(bytes);
    });
    socket.on('data', (piece) => {
      pieces.push(piece);
      size += piece.length;
      if (size > MOST_BYTES) done(false);
    });
    socket.on('end', () => done(true));
    socket.on('close', () => done(true));
    socket.on('error', (error) => {
      if (connected) return done(true);
      clearTimeout(timer);
      reject(error);
    });
  });
}

const INTERIM = /^HTTP\/1\.1 1\d\d[\s\S]*?\r\n\r\n/;

function answerOf(all: Buffer): Omit<WireAnswer, 'ended'> {
  let text = all.toString('latin1');
  while (INTERIM.test(text)) text = text.replace(INTERIM, '');
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
  const [head = ''] = text.split('\r\n\r\n', 1);
  const [, type = ''] = /^content-type: *(.*)$/im.exec(head) ?? [];
  return {
    status: status === undefined ? undefined : Number(status),
    type: type.trim(),
    bytes: Buffer.from(text, 'latin1'),
  };
}
