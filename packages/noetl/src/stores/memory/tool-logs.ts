import { keptOfLine, type LogEntry, type LogFilter, type ToolLogs } from '../../ports/tool-logs.ts';

/** Lines that live as long as the process. */
export function createMemoryToolLogs(): ToolLogs {
  const entries: LogEntry[] = [];
  const written = new Map<string, number>();

  return {
    append: async (lines) => {
      for (const line of lines) {
        const attempt = JSON.stringify([line.execution, line.taskRun, line.attempt]);
        const kept = keptOfLine(line, written.get(attempt) ?? 0);
        written.set(attempt, kept.written);
        for (const each of kept.lines) entries.push({ ...each, id: entries.length + 1 });
      }
    },
    read: async (filter, after, limit) =>
      entries
        .slice(after)
        .filter((entry) => passes(entry, filter))
        .slice(0, limit),
  };
}

const passes = (entry: LogEntry, filter: LogFilter): boolean =>
  entry.execution === filter.execution &&
  entry.taskRun === (filter.taskRun ?? entry.taskRun) &&
  entry.attempt === (filter.attempt ?? entry.attempt) &&
  entry.stream === (filter.stream ?? entry.stream);
