/** The option of every command about the workers of a server. */
export const WORKER_SERVER = [
  '--server <url>',
  'where the server is (default: NOETL_SERVER, or the one that runs on the data folder)',
] as const;

/** What such a command is given. */
export interface GivenWorkerServer {
  readonly server?: string;
  readonly json?: boolean;
}
