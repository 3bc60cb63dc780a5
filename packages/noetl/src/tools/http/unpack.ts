import { Transform } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';

/** A body has more bytes than it may, packed, unpacked or in between. */
export class TooLarge extends Error {}

/** A body is packed in a way, or so often, that nobody here unpacks it. */
export class PackedProblem extends Error {}

const MOST_LAYERS = 3;
/** How many times its size a body may become, and what it may become in any case: nothing that means something is more. */
const MOST_TIMES = 200;
const ANY_TIMES = 8 * 1024 * 1024;

/**
 * The streams that unpack a body, the layer that was put on last first; none if it is not packed. No layer may give more bytes than
 * the body may have, nor many times those that came, so that a small body can neither fill a disk nor make anybody work
 * for long, whatever comes of it in the end. Throws a PackedProblem.
 */
export function unpackers(encoding: string | readonly string[] | undefined, limit: number): Transform[] {
  const layers = String(encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((layer) => layer.trim())
    .filter((layer) => layer !== '' && layer !== 'identity');
  if (layers.length > MOST_LAYERS) throw new PackedProblem(`is packed ${layers.length} times over`);
  if (layers.length === 0) return [];
  let packed = 0;
  const counted = limited((size) => {
    packed = size;
    return size > limit ? new TooLarge() : undefined;
  });
  const unpacked = (size: number): Error | undefined => {
    if (size > limit) return new TooLarge();
    if (size <= ANY_TIMES || size <= packed * MOST_TIMES) return undefined;
    return new PackedProblem(`unpacks to more than ${MOST_TIMES} times its size`);
  };
  return [counted, ...layers.reverse().flatMap((layer) => [unpacker(layer), limited(unpacked)])];
}

function unpacker(layer: string): Transform {
  switch (layer) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return createUnzip();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new PackedProblem(`is packed as ${JSON.stringify(layer.slice(0, 40))}, which was not asked for`);
  }
}

function limited(problemAt: (size: number) => Error | undefined): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      size += chunk.length;
      const problem = problemAt(size);
      if (problem === undefined) done(null, chunk);
      else done(problem);
    },
  });
}
