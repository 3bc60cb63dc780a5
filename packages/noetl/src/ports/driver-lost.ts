/** This process was taken for dead: somebody else may drive its executions, so it must not. Its page is in docs/errors. */
export class DriverLost extends Error {
  readonly code = 'NOETL_DRIVER_LOST';

  constructor() {
    super('another process has taken this one for dead, and may go on with its executions; this one has stopped.');
    this.name = 'DriverLost';
  }
}
