import type { ToolLogs } from '../../ports/tool-logs.ts';
import type { Call } from './call.ts';

export function createSqliteToolLogs(call: Call): ToolLogs {
  return {
    append: (lines) => call('appendToolLogs', lines),
    read: (filter, after, limit) => call('toolLogs', filter, after, limit),
  };
}
