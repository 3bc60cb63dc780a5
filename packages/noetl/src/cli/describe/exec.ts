import type { Command } from 'commander';
import type { CommandLine } from './command-line.ts';
import { describeExecCancel } from './exec/cancel.ts';
import { describeExecDiff } from './exec/diff.ts';
import { describeExecEvents } from './exec/events.ts';
import { describeExecFork } from './exec/fork.ts';
import { describeExecGraph } from './exec/graph.ts';
import { describeExecList } from './exec/list.ts';
import { describeExecLogs } from './exec/logs.ts';
import { describeExecPause } from './exec/pause.ts';
import { describeExecResult } from './exec/result.ts';
import { describeExecResume } from './exec/resume.ts';
import { describeExecSignal } from './exec/signal.ts';
import { describeExecStart } from './exec/start.ts';
import { describeExecState } from './exec/state.ts';
import { describeExecStatus } from './exec/status.ts';
import { describeExecTimeline } from './exec/timeline.ts';
import { describeExecVerify } from './exec/verify.ts';
import { describeExecWatch } from './exec/watch.ts';

/** `noetl exec` and what is below it. */
export function describeExec(program: Command, line: CommandLine): void {
  const exec = program
    .command('exec')
    .summary('look at executions and control them')
    .description('Look at the executions of a data folder and control them, also while another process runs them.');
  const verbs = [
    describeExecStart,
    describeExecList,
    describeExecStatus,
    describeExecEvents,
    describeExecWatch,
    describeExecResult,
    describeExecLogs,
    describeExecPause,
    describeExecResume,
    describeExecCancel,
    describeExecSignal,
    describeExecState,
    describeExecFork,
    describeExecGraph,
    describeExecTimeline,
    describeExecDiff,
    describeExecVerify,
  ];
  for (const describe of verbs) describe(exec, line);
}
