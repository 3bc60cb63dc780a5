import { networkInterfaces } from 'node:os';
import { type Address, isWithin, type Network, parseAddress } from './address.ts';
import { type AddressClass, addressesIn, classOf } from './address-class.ts';

/** Which addresses tasks may connect to. Those of clouds' metadata, link-local and multicast ones only if allowed. */
export interface AddressRules {
  /** Kinds of addresses, and networks, that are refused. */
  readonly deny: readonly (DeniedClass | Network)[];
  /** Networks that are allowed all the same. */
  readonly allow: readonly Network[];
}

export type DeniedClass = 'private' | 'loopback';

/** Embedded mode: whoever runs the program may reach from it what they can reach themselves. */
export const EMBEDDED_RULES: AddressRules = { deny: [], allow: [] };

const NAMES: Readonly<Record<AddressClass, string>> = {
  metadata: "an address at which clouds tell a machine's credentials",
  'link-local': 'a link-local address',
  multicast: 'a multicast address',
  loopback: 'an address of the machine itself',
  private: 'a private address',
  public: 'a public address',
};
const NEVER: ReadonlySet<AddressClass> = new Set(['metadata', 'link-local', 'multicast']);

/** Why nobody may connect to an address, and what to set; undefined if they may. */
export function refusalOf(
  text: string,
  port: number,
  { deny, allow }: AddressRules,
  ownPorts: ReadonlySet<number>,
): string | undefined {
  const address = parseAddress(text);
  if (address === undefined) return 'is no address that can be checked.';
  const kind = classOf(address);
  if (ownPorts.has(port) && (kind === 'loopback' || isOwn(address))) {
    return `is where NoETL itself listens, on port ${port}; tasks of kind playbook call playbooks.`;
  }
  if (allow.some((network) => isWithin(address, network))) return undefined;
  const denied = deny.find((rule) =>
    typeof rule === 'string' ? rule === kind : addressesIn(address).some((reached) => isWithin(reached, rule)),
  );
  if (denied === undefined && !NEVER.has(kind)) return undefined;
  const setting = denied === undefined ? '' : ', which NOETL_HTTP_DENY refuses';
  return `is ${NAMES[kind]}${setting}. Whoever runs NoETL may allow it with NOETL_HTTP_ALLOW=${text.split('%')[0]}.`;
}

function isOwn(address: Address): boolean {
  const own = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  const reached = addressesIn(address);
  return own.some(({ address: text }) => {
    const parsed = parseAddress(text);
    return reached.some(({ version, value }) => parsed?.version === version && parsed.value === value);
  });
}
