const NEWLINE = 10;

/** Cuts what comes from a process into lines. Past the limit of one line it calls back once, and gives up. */
export function lineReader(limit: number, onLine: (line: string) => void, onTooLong: () => void) {
  let parts: Buffer[] = [];
  let size = 0;
  return (chunk: Buffer): void => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const rest = chunk.subarray(start, end);
      onLine(parts.length === 0 ? rest.toString('utf8') : Buffer.concat([...parts, rest]).toString('utf8'));
      parts = [];
      size = 0;
      start = end + 1;
    }
    if (start === chunk.length) return;
    parts.push(chunk.subarray(start));
    size += chunk.length - start;
    if (size <= limit) return;
    parts = [];
    size = Number.NEGATIVE_INFINITY;
    onTooLong();
  };
}
