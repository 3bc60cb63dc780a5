/** What was asked for and by whom, once it is answered. Never a body: it may hold anything. */
export interface AuditedRequest {
  readonly by: string;
  /** An address. */
  readonly from: string;
  readonly method: string;
  /** With its parameters, without its query. */
  readonly path: string;
  /** What it was about, where the path does not say so: the token that was made, the execution that was started. */
  readonly about: string | undefined;
  readonly status: number;
}
