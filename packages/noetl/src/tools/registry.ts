import { KIND_SCHEMAS } from '@noetl/playbook';
import { failed } from './answer.ts';
import { checkedFields } from './checked-fields.ts';
import { withOpenedHandle } from './credential.ts';
import type { Tool, ToolAnswer, ToolCall, ToolContext } from './define-tool.ts';
import { openProcessGroups, type ProcessGroups } from './process/process-groups.ts';
import { guardOf, limitsOf, type ToolHost, type ToolLimits } from './tool-host.ts';

/** All tools of this release, by the kind of the task. */
export interface Tools {
  /** Answers every call, also of a kind that is not there. */
  call(call: ToolCall, context: ToolContext): Promise<ToolAnswer>;
  /** Whether tasks of the kind can run here. */
  has(kind: string): boolean;
  /** Ends every process and connection that tools keep. */
  close(): Promise<void>;
}

interface Shared {
  readonly host: ToolHost;
  readonly limits: ToolLimits;
  readonly groups: ProcessGroups;
}

/** A tool is loaded when its kind is first called. */
const LOADERS: Readonly<Record<string, (shared: Shared) => Promise<Tool>>> = {
  noop: async () => (await import('./noop.ts')).noopTool,
  secrets: async () => (await import('./secrets-tool.ts')).secretsTool,
  http: async ({ host, limits }) => (await import('./http/http-tool.ts')).httpTool(limits, guardOf(host)),
  postgres: async ({ limits }) => (await import('./postgres/postgres-tool.ts')).postgresTool(limits),
  duckdb: async ({ limits }) => (await import('./duckdb/duckdb-tool.ts')).duckdbTool(limits),
  shell: async ({ groups, limits }) => (await import('./shell.ts')).shellTool(groups, limits.outputCharacters),
  script: async ({ groups, limits }) => (await import('./script.ts')).scriptTool(groups, limits.outputCharacters),
  python: async ({ groups, limits }) => {
    const [{ pythonTool }, { openPools }] = await Promise.all([
      import('./python/python-tool.ts'),
      import('./warm/pools.ts'),
    ]);
    return pythonTool(openPools(groups, limits), limits);
  },
  javascript: async ({ host, groups, limits }) => {
    const [{ javascriptTool }, { openPools }] = await Promise.all([
      import('./javascript/javascript-tool.ts'),
      import('./warm/pools.ts'),
    ]);
    return javascriptTool(openPools(groups, limits), host.node, limits);
  },
};

/** TOOL-1: what policies may read of any failure, also one that came before there was something to tell. */
const UNKNOWN: Readonly<Record<string, Partial<ToolAnswer>>> = {
  http: { http: { status: null, headers: {}, request_id: null } },
  python: { py: { exception_type: null } },
  postgres: { pg: { code: null, sqlstate: null } },
};

export function openTools(host: ToolHost): Tools {
  const shared: Shared = { host, limits: limitsOf(host), groups: openProcessGroups(host) };
  const loaded = new Map<string, Promise<Tool>>();
  const load = (kind: string): Promise<Tool> | undefined => {
    const known = loaded.get(kind);
    if (known !== undefined || !Object.hasOwn(LOADERS, kind)) return known;
    const loading = LOADERS[kind]?.(shared);
    if (loading !== undefined) loaded.set(kind, loading);
    return loading;
  };
  return {
    has: (kind) => Object.hasOwn(LOADERS, kind),
    call: async (call, context) => {
      const tool = await load(call.task.kind);
      if (tool === undefined) return unavailable(call);
      const answer = await answerOf(tool, call, context);
      return answer.status === 'ok' ? answer : { ...UNKNOWN[tool.kind], ...answer };
    },
    close: async () => {
      const tools = await Promise.all(loaded.values());
      await Promise.all(tools.map((tool) => tool.close?.()));
      shared.groups.close();
    },
  };
}

async function answerOf(tool: Tool, call: ToolCall, context: ToolContext): Promise<ToolAnswer> {
  const fields = checkedFields(call);
  if ('answer' in fields) return fields.answer;
  const opened = await withOpenedHandle({ ...call, input: fields.input }, context);
  return 'answer' in opened ? opened.answer : tool.run(opened.call, context);
}

function unavailable({ task: { kind, label } }: ToolCall): ToolAnswer {
  const kinds = Object.keys(LOADERS).join(', ');
  return failed(
    'tool.unavailable',
    Object.hasOwn(KIND_SCHEMAS, kind)
      ? `the kind '${kind}' of the task '${label}' is not available in this release, which has ${kinds}.`
      : `the task '${label}' is of the kind '${kind}', which does not exist.`,
    { details: { kind } },
  );
}
