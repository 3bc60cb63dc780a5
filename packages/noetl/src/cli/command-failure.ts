import type { ExitCode } from './exit-code.ts';

/** The end of a command that the user can do something about: the whole message for stderr, and the exit code. */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
  }
}
