/** Every `outcome.error.kind` that a tool states by itself, and what it means. A kind is never renamed. */
export const TOOL_ERROR_KINDS = {
  'task.field': 'a field has a value that the kind cannot use',
  'tool.unavailable': 'the kind does not exist, or not in this release',
  timeout: 'the attempt took longer than its spec allows',
  cancelled: 'the attempt was stopped: the execution was cancelled, or its worker lost it',
  auth: 'the credential is not in the keychain, or has no form that the kind can use',
  'http.connect': 'no connection, or it broke before the answer was complete',
  'http.status': 'the server answered with a status outside 2xx',
  'http.redirect': 'a redirect leads nowhere, in a circle, or to something that is not http',
  'http.body': 'the body of the answer cannot be read as its type says',
  'http.size': 'the answer is larger than a tool may keep in memory',
  'sql.connect': 'no connection to the database, or it broke before the answer was complete',
  'sql.busy': 'all connections are in use, or another process holds the file',
  'sql.failed': 'the database refused a statement',
  'python.exception': 'the code raised an exception',
  'python.exit': 'the code called sys.exit',
  'python.crash': 'the interpreter ended in the middle of the task',
  'javascript.exception': 'the code threw',
  'javascript.crash': 'the process ended in the middle of the task',
  'process.spawn': 'a program could not be started',
  'process.exit': 'a program ended with an exit code other than 0',
  'process.signal': 'a program was ended by a signal',
  'process.output': 'a program wrote more than a tool may keep in memory',
  'result.json': 'the result has no form in JSON',
  'result.size': 'the result is larger than a tool may keep in memory',
} as const;

export type ToolErrorKind = keyof typeof TOOL_ERROR_KINDS;
