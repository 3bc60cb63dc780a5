/** The option of every command about the workers of a server. */
export const WORKER_SERVER = [
  '--server <url>',
  'where the server is (default: NOETL_SERVER, or the one that runs on the data folder)',
] as const;

/** The folder whose server it is. */
export const WORKER_DATA = [
  '--data <folder>',
  'the data folder of the server, where it runs on this machine (default: NOETL_DATA, or .noetl)',
] as const;

/** What such a command is given. */
export interface GivenWorkerServer {
  readonly server?: string;
  readonly data?: string;
  readonly json?: boolean;
}
