import type { Instant } from '@noetl/engine';
import { keptOfLine, type LogEntry, type LogFilter, type LogLine } from '../../../ports/tool-logs.ts';
import type { Database } from '../driver/database.ts';
import { asBytes, jsonOf, type StoredText, textOf } from './stored-text.ts';

interface Row {
  readonly id: number;
  readonly execution_id: StoredText;
  readonly task_run: StoredText;
  readonly attempt: number;
  readonly stream: StoredText;
  readonly at: Instant;
  /** As JSON: tools may print anything. */
  readonly text: StoredText;
}

const COLUMNS = `id, attempt, at, ${asBytes('execution_id', 'task_run', 'stream', 'text')}`;

export function toolLogOperations(database: Database) {
  const insert = database.prepare(
    'INSERT INTO tool_logs (execution_id, task_run, attempt, stream, at, text) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const size = database.prepare<{ readonly written: number }>(
    'SELECT written FROM tool_log_sizes WHERE execution_id = ? AND task_run = ? AND attempt = ?',
  );
  const resize = database.prepare(
    'INSERT OR REPLACE INTO tool_log_sizes (execution_id, task_run, attempt, written) VALUES (?, ?, ?, ?)',
  );
  const ofExecution = database.prepare<Row>(
    `SELECT ${COLUMNS} FROM tool_logs WHERE execution_id = ?1 AND id > ?2
       AND attempt = coalesce(?4, attempt) AND stream = coalesce(?5, stream) ORDER BY id LIMIT ?3`,
  );
  const ofTask = database.prepare<Row>(
    `SELECT ${COLUMNS} FROM tool_logs INDEXED BY tool_logs_by_task WHERE execution_id = ?1 AND task_run = ?6 AND id > ?2
       AND attempt = coalesce(?4, attempt) AND stream = coalesce(?5, stream) ORDER BY id LIMIT ?3`,
  );

  return {
    reads: {
      toolLogs: (filter: LogFilter, after: number, limit: number): readonly LogEntry[] => {
        const { execution, taskRun, attempt = null, stream = null } = filter;
        const rows =
          taskRun === undefined
            ? ofExecution.all(execution, after, limit, attempt, stream)
            : ofTask.all(execution, after, limit, attempt, stream, taskRun);
        return rows.map(entryOf);
      },
    },
    writes: {
      appendToolLogs: (lines: readonly LogLine[]): void => {
        for (const line of lines) {
          const attempt = [line.execution, line.taskRun, line.attempt] as const;
          const before = size.get(...attempt)?.written ?? 0;
          const kept = keptOfLine(line, before);
          for (const { stream, at, text } of kept.lines) insert.run(...attempt, stream, at, JSON.stringify(text));
          if (kept.written !== before) resize.run(...attempt, kept.written);
        }
      },
    },
  };
}

const entryOf = (row: Row): LogEntry => ({
  id: row.id,
  execution: textOf(row.execution_id, 'tool_logs.execution_id'),
  taskRun: textOf(row.task_run, 'tool_logs.task_run'),
  attempt: row.attempt,
  stream: textOf(row.stream, 'tool_logs.stream') as LogLine['stream'],
  at: row.at,
  text: jsonOf(row.text, 'tool_logs.text'),
});
