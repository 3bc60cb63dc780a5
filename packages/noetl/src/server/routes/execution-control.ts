import type { ExecutionEvent } from '@noetl/engine';
import type { Json, JsonMap } from '@noetl/playbook';
import type * as z from 'zod';
import { Control, ControlBody, ForkBody, Forked, SignalBody } from '../../api/executions.ts';
import type { Catalog } from '../../ports/catalog.ts';
import type { LeftInput } from '../../ports/control-inputs.ts';
import type { ExecutionStatus } from '../../ports/execution-facts.ts';
import type { Executions } from '../../ports/executions.ts';
import type { Caller } from '../http/permissions.ts';
import { Problem } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { knownPlaybook } from './catalog.ts';
import { ExecutionId, knownExecution } from './known-execution.ts';

/** Asking something of executions. */
export interface ControlWork {
  readonly executions: Executions;
  readonly catalog: Catalog;
  ask(id: string, input: LeftInput): Promise<Asked>;
  fork(id: string, wanted: ForkRequest): Promise<Forked>;
}

interface Asked {
  readonly status: ExecutionStatus;
  readonly driven: boolean;
  readonly events: readonly ExecutionEvent[];
}

interface ForkRequest {
  readonly at: number | 'failure';
  /** `PATH` or `PATH@N` of the catalog. */
  readonly playbook: string | undefined;
  readonly workload: JsonMap;
  readonly ctx: JsonMap;
  /** Whether it is gone on with. */
  readonly run: boolean;
  /** The id that the caller wants it to have. */
  readonly id: string | undefined;
  readonly caller: Caller;
}

const CONTROLS = [
  ['pause', 'let what runs come to its end, and begin nothing new'],
  ['resume', 'lift a pause'],
  ['cancel', 'end an execution, with those that it called'],
] as const;

export const controlRoutes = (work: ControlWork): readonly Route[] => [
  ...CONTROLS.map(([kind, summary]) =>
    defineRoute({
      method: 'POST',
      path: `/api/executions/{id}/${kind}`,
      permission: 'run',
      tag: 'control',
      summary,
      params: ExecutionId,
      body: ControlBody,
      answer: Control,
      handle: async ({ params: { id }, body, caller }) => {
        await knownExecution(work.executions, id, caller);
        const input = { kind, reason: body.reason ?? null, by: whoOf(caller, body.by) };
        return { body: answered(id, await work.ask(id, input)) };
      },
    }),
  ),
  defineRoute({
    method: 'POST',
    path: '/api/executions/{id}/signal',
    permission: 'run',
    tag: 'control',
    summary: 'send a signal, or answer an approval',
    params: ExecutionId,
    body: SignalBody,
    answer: Control,
    handle: async ({ params: { id }, body, caller }) => {
      await knownExecution(work.executions, id, caller);
      const payload = (body.payload ?? null) as Json;
      const input = { kind: 'signal', name: body.name, payload, by: whoOf(caller, body.by) } as const;
      return { body: answered(id, await work.ask(id, input)) };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/executions/{id}/fork',
    permission: 'run',
    tag: 'control',
    summary: 'go on from any event of an execution, differently, as a new execution',
    params: ExecutionId,
    body: ForkBody,
    answer: Forked,
    status: 201,
    handle: async ({ params: { id }, body, caller }) => {
      await knownExecution(work.executions, id, caller);
      const { path, version, workload, ctx, at, run } = body;
      if (version !== undefined && path === undefined) {
        throw new Problem('NOETL_API_REQUEST', 'body.version: is of a path, and none is given.');
      }
      if (path !== undefined) await knownPlaybook(work.catalog, path, version, caller);
      const playbook = version === undefined ? path : `${path}@${version}`;
      const forked = await work.fork(id, {
        at,
        playbook,
        workload: workload as JsonMap,
        ctx: ctx as JsonMap,
        run,
        id: body.execution_id,
        caller,
      });
      const { execution_id: about } = forked;
      return { status: 201, body: forked, headers: { location: `/api/executions/${about}` }, about };
    },
  }),
];

/** A token stands for itself: whoever its holder says to be is noted beside it, not instead of it. */
const whoOf = ({ isToken, name }: Caller, said = name): string =>
  isToken && said !== name ? `${said} (token ${name})` : said;

const answered = (execution_id: string, { status, driven, events }: Asked): z.input<typeof Control> => ({
  execution_id,
  status,
  driven,
  events: [...events] as z.input<typeof Control>['events'],
});
