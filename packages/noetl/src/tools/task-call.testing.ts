import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBoundField, render, templateScope } from '@noetl/engine';
import { effectiveSpec, type JsonMap, readPlaybook } from '@noetl/playbook';
import type { ResultStore } from '../ports/result-store.ts';
import { createMemoryResults } from '../results/memory.ts';
import type { ToolAnswer, ToolCall, ToolContext, ToolCredentials } from './define-tool.ts';
import { memoryKeep } from './memory-keep.testing.ts';
import { openTools, type Tools } from './registry.ts';
import type { ToolHost, ToolLimits } from './tool-host.ts';

export interface Given {
  readonly workload?: JsonMap;
  readonly keychain?: JsonMap;
  readonly signal?: AbortSignal;
  readonly folder?: string;
  /** The name of its playbook's file. */
  readonly playbook?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly credentials?: ToolCredentials;
}

/** A call of a task as its author writes it: the fields of YAML, below `t:`. */
export function taskCall(yaml: string, { workload = {}, keychain }: Given = {}): ToolCall {
  const body = yaml.trim().replaceAll('\n', '\n          ');
  const source = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: p }\nworkload: ${JSON.stringify(Object.fromEntries(Object.keys(workload).map((name) => [name, null])))}
keychain: ${JSON.stringify(Object.keys(keychain ?? {}).map((name) => ({ name, kind: 'static', value: 'x' })))}
workflow:\n  - step: start\n    tool:\n      - t:\n          ${body}\n`;
  const { playbook, diagnostics } = readPlaybook(source, { file: 'test.yaml' });
  const step = playbook?.workflow[0];
  const task = step?.tasks[0];
  if (playbook === undefined || step === undefined || task === undefined) {
    throw new Error(diagnostics.map(({ message, line }) => `${line}: ${message}`).join('\n'));
  }
  const scope = templateScope({
    workload,
    ctx: {},
    args: {},
    execution_id: 'e1',
    job: {},
    results: {},
    ...(keychain === undefined ? {} : { keychain }),
  });
  const rendered = Object.entries({ ...task.fields, args: task.args, auth: task.auth }).flatMap(([name, data]) =>
    data === undefined || isBoundField(task.kind, name) ? [] : [[name, render(data, scope, {})] as const],
  );
  return {
    task,
    input: Object.fromEntries(rendered),
    scope,
    spec: effectiveSpec(playbook, step, task),
    step: 'start',
    path: [],
    visit: 1,
    attempt: 1,
    key: 'key-of-this-visit',
  };
}

export interface ToolsUnderTest {
  readonly tools: Tools;
  /** What the tools printed, in order. */
  readonly logs: { readonly stream: string; readonly text: string }[];
  run(yaml: string, given?: Given): Promise<ToolAnswer>;
  /** What the tools kept apart. */
  readonly results: ResultStore;
}

const ENVIRONMENT = { PATH: process.env.PATH, HOME: process.env.HOME };

export function toolsUnderTest(limits: Partial<ToolLimits> = {}, host: Partial<ToolHost> = {}): ToolsUnderTest {
  const tools = openTools({ node: process.execPath, kill: process.kill.bind(process), limits, ...host });
  const logs: { stream: string; text: string }[] = [];
  const results = createMemoryResults();
  const run = (yaml: string, given: Given = {}) => {
    const context: ToolContext = {
      signal: given.signal ?? new AbortController().signal,
      log: (stream, text) => logs.push({ stream, text }),
      keep: memoryKeep(results),
      folder: given.folder ?? import.meta.dirname,
      environment: given.environment ?? ENVIRONMENT,
      ...(given.playbook === undefined ? {} : { playbook: given.playbook }),
      ...(given.credentials === undefined ? {} : { credentials: given.credentials }),
    };
    return tools.call(taskCall(yaml, given), context);
  };
  return { tools, logs, run, results };
}

interface RunningProcess {
  readonly pid: number;
  readonly group: number;
}

/** What runs on this machine; a process that is dead, but that nobody took note of, does not. */
export function runningProcesses(): readonly RunningProcess[] {
  if (!existsSync('/proc/self/stat')) return listedProcesses();
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    // The name of the program may hold anything; what follows the last bracket is state, parent, group.
    const [state, , group] = Number.isNaN(pid)
      ? []
      : (statOf(pid)
          .split(/\) (?!.*\))/s)
          .at(-1)
          ?.split(' ') ?? []);
    return group === undefined || state === 'Z' ? [] : [{ pid, group: Number(group) }];
  });
}

function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}

function listedProcesses(): readonly RunningProcess[] {
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,pgid=,stat='], { encoding: 'utf8' });
  return [...stdout.matchAll(/^ *(\d+) +(\d+) +[^Z]/gm)].map(([, pid, group]) => ({
    pid: Number(pid),
    group: Number(group),
  }));
}

export const isAlive = (pid: number): boolean => runningProcesses().some((running) => running.pid === pid);

export async function until(condition: () => boolean, milliseconds = 5000): Promise<void> {
  const deadline = Date.now() + milliseconds;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`not within ${milliseconds} ms`);
    await new Promise((wake) => setTimeout(wake, 10));
  }
}
