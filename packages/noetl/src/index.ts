// What other programs may import from `noetl`: a client of its server.
export { type Controlled, createClient, type ExecutionQuery, type NoetlClient } from './client/client.ts';
export type { LiveOptions } from './client/live.ts';
export { ServerProblem, ServerUnreachable } from './client/server-error.ts';
export type { ClientOptions } from './client/transport.ts';
