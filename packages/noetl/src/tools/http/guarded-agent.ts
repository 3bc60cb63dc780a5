import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { type AddressRules, refusalOf } from './address-rules.ts';

/** Somebody wanted to connect to where nobody may. */
export class Forbidden extends Error {
  readonly code = 'FORBIDDEN_ADDRESS';
  constructor(host: string, address: string, reason: string) {
    super(`${host === address ? address : `${host} (${address})`}: that ${reason}`);
  }
}

export interface Guard {
  readonly rules: AddressRules;
  /** The ports that this installation listens on; may change while connections are made. */
  readonly ownPorts: ReadonlySet<number>;
  /** How names are looked up; as the system does unless given. */
  readonly lookup?: LookupFunction;
}

const CONNECTIONS_PER_ORIGIN = 128;

/**
 * Pools of connections to addresses that the rules allow. Each connection is checked when it is made, by the very
 * address that it goes to: what a name meant before, and who led to it, counts for nothing.
 */
export function guardedAgent(guard: Guard, connectSeconds: number): Agent {
  return new Agent({ connections: CONNECTIONS_PER_ORIGIN, connect: guardedConnector(guard, connectSeconds * 1000) });
}

function guardedConnector(
  { rules, ownPorts, lookup: look = lookup }: Guard,
  timeout: number,
): buildConnector.connector {
  const connectors = new Map<number, buildConnector.connector>();
  const refused = (host: string, address: string, port: number): Forbidden | undefined => {
    const reason = refusalOf(address, port, rules, ownPorts);
    return reason === undefined ? undefined : new Forbidden(host, address, reason);
  };
  const connectorTo = (port: number): buildConnector.connector => {
    const known = connectors.get(port);
    if (known !== undefined) return known;
    const checked = checkedLookup(look, (host, address) => refused(host, address, port));
    const connector = buildConnector({ timeout, lookup: checked });
    connectors.set(port, connector);
    return connector;
  };
  return (options, callback) => {
    const { hostname, protocol } = options;
    const port = Number(options.port || (protocol === 'https:' ? 443 : 80));
    // Of an address nobody looks anything up.
    const problem = isIP(hostname) === 0 ? undefined : refused(hostname, hostname, port);
    if (problem === undefined) connectorTo(port)(options, callback);
    else queueMicrotask(() => callback(problem, null));
  };
}

/** A lookup that gives only what may be connected to; without any such address, it fails with the reason. */
function checkedLookup(
  look: LookupFunction,
  refused: (host: string, address: string) => Forbidden | undefined,
): LookupFunction {
  return (host: string, options: LookupOptions, callback) => {
    look(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const addresses: readonly LookupAddress[] = Array.isArray(found)
        ? found
        : [{ address: found, family: isIP(found) }];
      const problems = addresses.map(({ address }) => refused(host, address));
      const allowed = addresses.filter((_, index) => problems[index] === undefined);
      const [first] = allowed;
      if (first === undefined) return callback(problems[0] ?? new Error(`'${host}' has no address`), []);
      return options.all === true ? callback(null, [...allowed]) : callback(null, first.address, first.family);
    });
  };
}
