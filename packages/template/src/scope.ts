import { visible } from './values/mapping.ts';

/**
 * Names that are looked up only when a template reads them. `names` serves error messages; it may be costly, it is
 * asked for only when a name was not found.
 */
export class Scope {
  private readonly lookup: (name: string) => unknown;
  readonly names: () => Iterable<string>;

  constructor(lookup: (name: string) => unknown, names: () => Iterable<string>) {
    this.lookup = lookup;
    this.names = names;
  }

  get(name: string): unknown {
    return visible(this.lookup(name));
  }
}

export type ScopeData = Readonly<Record<string, unknown>> | Scope;

export function lookUp(scope: ScopeData, name: string): unknown {
  if (scope instanceof Scope) return scope.get(name);
  return Object.hasOwn(scope, name) ? visible(scope[name]) : undefined;
}

export const scopeNames = (scope: ScopeData): Iterable<string> =>
  scope instanceof Scope ? scope.names() : Object.keys(scope);
