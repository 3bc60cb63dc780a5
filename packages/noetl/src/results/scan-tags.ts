import { StringDecoder } from 'node:string_decoder';
import { TAG, type Tagged } from '@noetl/engine';

/** As `JSON.stringify` writes it. A text cannot contain it: its quotes would have a backslash before them. */
const BEGIN = `{"${TAG}":"`;

/** No reference and no manifest is longer; whatever begins like one is let go then. */
const LONGEST = 1_048_576;

/** The JSON of a value as it comes, cut at what stands in it for other values. */
export interface TagSplit {
  /** Texts and tags in their order; what may become a tag waits for the rest. */
  take(text: string): readonly (string | Tagged)[];
  end(): string;
}

export function splitTags(): TagSplit {
  /** The end of what has come: the beginning of a tag, or what may become one. */
  let rest = '';

  return {
    take: (piece) => {
      const text = rest + piece;
      const parts: (string | Tagged)[] = [];
      let from = 0;
      for (let at = text.indexOf(BEGIN); at >= 0; at = text.indexOf(BEGIN, Math.max(from, at + BEGIN.length))) {
        const end = endOfObject(text, at);
        if (end === undefined && text.length - at <= LONGEST) {
          rest = text.slice(at);
          return [...parts, text.slice(from, at)];
        }
        const [tag] = end === undefined ? [] : parsed(text.slice(at, end));
        if (tag === undefined || end === undefined) continue;
        parts.push(text.slice(from, at), tag);
        from = end;
      }
      const kept = Math.max(from, text.length - (BEGIN.length - 1));
      rest = text.slice(kept);
      return [...parts, text.slice(from, kept)];
    },
    end: () => rest,
  };
}

/** Finds what stands for other values in the JSON of one, from its bytes as they come. */
export interface TagScan {
  take(piece: Uint8Array): void;
  tags(): readonly Tagged[];
}

export function scanTags(): TagScan {
  const decoder = new StringDecoder('utf8');
  const found: Tagged[] = [];
  const split = splitTags();
  return {
    take: (piece) => {
      for (const part of split.take(decoder.write(piece as Buffer))) if (typeof part !== 'string') found.push(part);
    },
    tags: () => found,
  };
}

/** Nothing if the bytes are damaged, which their checksum tells. */
function parsed(text: string): readonly Tagged[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}

/** Behind the brace that closes the one at the position; undefined if it is still to come. */
function endOfObject(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (character === '"') {
      const close = endOfText(text, at);
      if (close === undefined) return undefined;
      at = close;
    }
  }
  return undefined;
}

function endOfText(text: string, from: number): number | undefined {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return undefined;
}
