/** What was asked for and by whom, once it is answered. Never a body: it may hold anything. */
export interface AuditedRequest {
  readonly by: string;
  readonly method: string;
  /** With its parameters, without its query. */
  readonly path: string;
  readonly status: number;
}
