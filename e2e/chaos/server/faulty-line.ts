import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** What happens to the bytes of one way. `lost` bytes never arrive; the connection looks well to who sent them. */
type Way = 'open' | 'lost' | { readonly delay: number };

/** A line between a process and the server, that can be made bad: of TCP, so it knows nothing but bytes. */
export interface FaultyLine {
  readonly port: number;
  /** How the two ways are from now on, also of connections that there are. */
  set(ways: { readonly requests?: Way; readonly answers?: Way }): void;
  /** Breaks all connections, as a cable does; those on which bytes were lost can only be broken. Tells how many. */
  cut(): number;
  /** The bytes of the next requests that begin like this are delivered again, each on a fresh connection. */
  repeat(requests: number, beginning?: string): void;
  /** How many were, since the beginning. */
  repeated(): number;
  /** Loses the next request that begins like this, or the answer to it, and everything after it on its connection. */
  lose(what: 'request' | 'answer', beginning: string): void;
  /** Resolves with the next request that begins like this, when its first bytes are here. */
  next(beginning: string, patience: number): Promise<void>;
  /** Connections whose newest request begins like this, and has no answer yet. */
  waiting(beginning: string): number;
  close(): Promise<void>;
}

interface Line {
  readonly near: Socket;
  readonly far: Socket;
  /** The bytes of the request that is under way; empty again once an answer comes. */
  request: Buffer[];
  answered: boolean;
  requestsLost: boolean;
  answersLost: boolean;
  /** When the bytes before are delivered: later ones do not overtake them. */
  due: { requests: number; answers: number };
}

/** A request that is delivered again is waited for so long, in milliseconds, and then forgotten. */
const FORGOTTEN = 3_000;

export async function openFaultyLine(target: () => number): Promise<FaultyLine> {
  const lines = new Set<Line>();
  const ears = new Set<(line: Line) => void>();
  const extras = new Set<Socket>();
  let requests: Way = 'open';
  let answers: Way = 'open';
  let repeats = { left: 0, beginning: '' };
  let repeated = 0;
  let loses: { readonly what: 'request' | 'answer'; readonly beginning: string } | undefined;

  const beginsLike = ({ request: [first] }: Line, beginning: string): boolean =>
    first !== undefined && first.subarray(0, beginning.length).toString('latin1') === beginning;

  function forward(way: Way, to: Socket, piece: Buffer, line: Line, which: 'requests' | 'answers'): void {
    const now = Date.now();
    const due = Math.max(line.due[which], typeof way === 'object' ? now + way.delay : now);
    line.due[which] = due;
    if (due <= now) to.write(piece);
    else setTimeout(() => to.write(piece), due - now);
  }

  function again(bytes: Buffer): void {
    repeated += 1;
    const socket = connect({ port: target(), host: '127.0.0.1', noDelay: true });
    extras.add(socket);
    const forget = setTimeout(() => socket.destroy(), FORGOTTEN);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(forget);
      extras.delete(socket);
    });
    socket.on('data', () => undefined);
    socket.write(bytes);
  }

  function asked(line: Line, piece: Buffer): void {
    if (line.answered) {
      line.request = [];
      line.answered = false;
    }
    const isNew = line.request.length === 0;
    line.request.push(piece);
    if (isNew && loses !== undefined && beginsLike(line, loses.beginning)) {
      if (loses.what === 'request') line.requestsLost = true;
      else line.answersLost = true;
      loses = undefined;
    }
    if (requests === 'lost') line.requestsLost = true;
    if (!line.requestsLost) forward(requests, line.far, piece, line, 'requests');
    if (isNew) for (const ear of [...ears]) ear(line);
  }

  function answered(line: Line, piece: Buffer): void {
    if (!line.answered && repeats.left > 0 && beginsLike(line, repeats.beginning)) {
      repeats = { ...repeats, left: repeats.left - 1 };
      again(Buffer.concat(line.request));
    }
    line.answered = true;
    if (answers === 'lost') line.answersLost = true;
    if (!line.answersLost) forward(answers, line.near, piece, line, 'answers');
  }

  function open(near: Socket): void {
    const far = connect({ port: target(), host: '127.0.0.1', noDelay: true });
    const line: Line = {
      near,
      far,
      request: [],
      answered: false,
      requestsLost: false,
      answersLost: false,
      due: { requests: 0, answers: 0 },
    };
    lines.add(line);
    near.setNoDelay(true);
    const end = (): void => {
      lines.delete(line);
      near.destroy();
      far.destroy();
    };
    near.on('data', (piece) => asked(line, piece));
    far.on('data', (piece) => answered(line, piece));
    near.on('end', end).on('close', end).on('error', end);
    // A server that is gone is not seen by who is cut off from it.
    far.on('end', () => (line.answersLost ? far.destroy() : end()));
    far.on('close', () => (line.answersLost || line.requestsLost ? undefined : end()));
    far.on('error', () => (line.answersLost || line.requestsLost ? far.destroy() : end()));
  }

  const server: Server = createServer(open);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('a line without a port');

  function cut(): number {
    const broken = [...lines];
    for (const { near, far } of broken) {
      near.resetAndDestroy();
      far.resetAndDestroy();
    }
    return broken.length;
  }

  return {
    port: address.port,
    set(ways) {
      requests = ways.requests ?? requests;
      answers = ways.answers ?? answers;
    },
    cut,
    repeat: (left, beginning = '') => {
      repeats = { left, beginning };
    },
    repeated: () => repeated,
    lose: (what, beginning) => {
      loses = { what, beginning };
    },
    next: (beginning, patience) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          ears.delete(ear);
          resolve();
        };
        const ear = (line: Line): void => {
          if (beginsLike(line, beginning)) done();
        };
        const timer = setTimeout(done, patience);
        ears.add(ear);
      }),
    waiting: (beginning) => [...lines].filter((line) => !line.answered && beginsLike(line, beginning)).length,
    async close() {
      cut();
      for (const socket of extras) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
