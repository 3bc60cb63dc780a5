/**
 * Node 22 announces its SQLite as experimental in the middle of what the program says. It is chosen knowingly
 * (docs/decisions/0009): this warning is passed over, and no other. Threads are started without it.
 */
export function passOverSqliteWarning(emitter: Pick<NodeJS.Process, 'emitWarning'>): void {
  const { emitWarning } = emitter;
  const emit = (...given: readonly unknown[]): void => {
    const [warning, kind] = given;
    if (kind === 'ExperimentalWarning' && String(warning).startsWith('SQLite ')) return;
    Reflect.apply(emitWarning, emitter, given);
  };
  emitter.emitWarning = emit as typeof emitWarning;
}
