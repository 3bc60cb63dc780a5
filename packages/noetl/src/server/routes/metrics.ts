import { defineRoute, type Route } from '../http/route.ts';

const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8';

/** Numbers about the server, for whoever watches it over time. */
export const metricsRoutes = (metrics: { text(): string }): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/metrics',
    permission: 'read',
    tag: 'server',
    summary: 'numbers about the server, in the text format of Prometheus',
    answer: PROMETHEUS,
    handle: async () => ({ text: metrics.text(), type: PROMETHEUS }),
  }),
];
