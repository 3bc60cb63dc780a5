import type { Instant } from '@noetl/engine';

/** What tools print. Kept beside the log of events, in the order of arrival; secrets were taken out before. */
export interface ToolLogs {
  /** Of each attempt the first `TOOL_LOG_LIMIT` characters are kept, then one line that says so. */
  append(lines: readonly LogLine[]): Promise<void>;
  /** Lines with ids above `after` that the filter lets through, oldest first. */
  read(filter: LogFilter, after: number, limit: number): Promise<readonly LogEntry[]>;
}

export interface LogLine {
  readonly execution: string;
  readonly taskRun: string;
  readonly attempt: number;
  readonly stream: LogStream;
  readonly at: Instant;
  readonly text: string;
}

/** `noetl` says something about the output itself. */
type LogStream = 'stdout' | 'stderr' | 'noetl';

export interface LogEntry extends LogLine {
  readonly id: number;
}

export interface LogFilter {
  readonly execution: string;
  readonly taskRun?: string;
  readonly attempt?: number;
  readonly stream?: LogStream;
}

export const TOOL_LOG_LIMIT = 1_048_576;

/** What is kept of a line, if an attempt has written so much before: a line costs its text and its end. */
export function keptOfLine(
  line: LogLine,
  written: number,
): { readonly lines: readonly LogLine[]; readonly written: number } {
  const cost = line.text.length + 1;
  const room = TOOL_LOG_LIMIT - written;
  if (cost <= room) return { lines: [line], written: written + cost };
  if (room < 0) return { lines: [], written };
  const first: LogLine = { ...line, text: line.text.slice(0, room) };
  const end: LogLine = { ...line, stream: 'noetl', text: `only the first ${TOOL_LOG_LIMIT} characters are kept` };
  return { lines: room === 0 ? [end] : [first, end], written: TOOL_LOG_LIMIT + 1 };
}
