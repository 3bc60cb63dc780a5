/** The server does not answer; or what answers is no NoETL server. */
export class ServerUnreachable extends Error {
  readonly url: string;

  constructor(url: string, why: string, options?: ErrorOptions) {
    super(`the server ${url} does not answer: ${why}`, options);
    this.name = 'ServerUnreachable';
    this.url = url;
  }
}

/** What the server answers that cannot be done: RFC 9457, with a code that never changes. */
export class ServerProblem extends Error {
  readonly status: number;
  readonly code: string;
  /** Whatever else the problem says. */
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(status: number, code: string, detail: string, fields: Readonly<Record<string, unknown>> = {}) {
    super(detail);
    this.name = 'ServerProblem';
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}
