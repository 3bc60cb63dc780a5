import { Health, Ready, Version } from '../../api/health.ts';
import { Problem } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';

export interface Condition {
  readonly version: string;
  /** What the server still has to do before it is ready; undefined once it is. */
  unready(): string | undefined;
  underWay(): number;
}

/** Whether the server is there, for whoever watches it. */
export const healthRoutes = (condition: Condition): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/health',
    permission: 'public',
    tag: 'server',
    summary: 'whether the process answers',
    answer: Health,
    handle: async () => ({ body: { status: 'ok' } }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/ready',
    permission: 'public',
    tag: 'server',
    summary: 'whether the server goes on with every unfinished execution of its store',
    answer: Ready,
    handle: async () => {
      const reason = condition.unready();
      if (reason !== undefined) throw new Problem('NOETL_API_NOT_READY', reason);
      return { body: { ready: true, executions: condition.underWay() } };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/version',
    permission: 'public',
    tag: 'server',
    summary: 'which release of NoETL this is',
    answer: Version,
    handle: async () => ({ body: { version: condition.version, api: 1 } }),
  }),
];
