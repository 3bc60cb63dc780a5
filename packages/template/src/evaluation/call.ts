import { methodOf } from '../builtins/methods/methods.ts';
import { bindArguments } from '../builtins/signature.ts';
import { typeFault } from '../template-error.ts';
import { getAttribute } from '../values/access.ts';
import { type CallArguments, Callable, hasMethods } from '../values/callable.ts';
import { typeName } from '../values/special.ts';
import { Undefined } from '../values/undefined.ts';
import type { Run } from './run.ts';

/** `object.name(…)`: a method of the value's type from the allow-list, else a function kept under that name. */
export function callMethod(run: Run, object: unknown, name: string, args: CallArguments, path: string): unknown {
  if (hasMethods(object)) {
    const result = object.callMethod(run, name, args);
    if (result !== undefined) return result;
  }
  const method = methodOf(object, name);
  if (method !== undefined) {
    const bound =
      method.parameters === undefined ? args.positional : bindArguments(`'${name}'`, method.parameters, args);
    return method.apply(run, object, bound, args.named);
  }
  return callValue(run, getAttribute(run, object, name, path), args, path);
}

export function callValue(run: Run, value: unknown, args: CallArguments, path: string): unknown {
  if (value instanceof Callable) return value.call(run, args);
  if (value instanceof Undefined) throw value.fault();
  throw typeFault(`'${path}' is ${typeName(value)} and cannot be called.`);
}
