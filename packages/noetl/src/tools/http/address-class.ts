import { type Address, isWithin, type Network, parseNetwork } from './address.ts';

/** What kind of place an address leads to. */
export type AddressClass = 'metadata' | 'link-local' | 'multicast' | 'loopback' | 'private' | 'public';

/** From the most dangerous to the least: an address that leads to several places is the worst of them. */
const WORST_FIRST: readonly AddressClass[] = ['metadata', 'link-local', 'multicast', 'loopback', 'private', 'public'];

/** Where clouds tell a machine who it is, with credentials. Most are link-local; these are not, or are well known. */
const METADATA =
  '169.254.169.254 169.254.170.2 169.254.170.23 100.100.100.200 168.63.129.16 192.0.0.192 ' +
  'fd00:ec2::254 fd00:ec2::23 fd20:ce::254 fd00:42::42 fe80::a9fe:a9fe';

const NETWORKS: readonly (readonly [AddressClass, readonly Network[]])[] = [
  ['metadata', networks(METADATA)],
  ['link-local', networks('169.254.0.0/16 fe80::/10')],
  ['multicast', networks('224.0.0.0/4 255.255.255.255 ff00::/8')],
  // Systems take 0.0.0.0 and :: for themselves.
  ['loopback', networks('127.0.0.0/8 0.0.0.0/8 ::1 ::')],
  // Beside the well-known ones: shared by providers, for tests of networks, kept for later, site-local, local NAT64.
  [
    'private',
    networks(
      '10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 192.0.0.0/24 198.18.0.0/15 240.0.0.0/4 ' +
        'fc00::/7 fec0::/10 64:ff9b:1::/48 100::/64',
    ),
  ],
];

export function classOf(address: Address): AddressClass {
  const found = addressesIn(address).map(plainClassOf);
  return WORST_FIRST.find((kind) => found.includes(kind)) ?? 'public';
}

const plainClassOf = (address: Address): AddressClass =>
  NETWORKS.find(([, all]) => all.some((network) => isWithin(address, network)))?.[0] ?? 'public';

/** How addresses of version 4 are written into those of version 6, and how many bits follow them there. */
const TUNNELS: readonly (readonly [Network, number])[] = [
  ...['::ffff:0:0/96', '::ffff:0:0:0/96', '::/96', '64:ff9b::/96'].map((text) => [networkOf(text), 0] as const),
  [networkOf('2002::/16'), 80],
  // Teredo: the server, and the client with all its bits turned.
  [networkOf('2001::/32'), 64],
];
const TEREDO = networkOf('2001::/32');
/** ISATAP: the second half is 0000:5efe or 0200:5efe, and an address. */
const ISATAP: ReadonlySet<bigint> = new Set([0x00005efen, 0x02005efen]);
const LOW = 0xffffffffn;

/** The address itself, and those of version 4 that may be reached by it. */
export function addressesIn(address: Address): readonly Address[] {
  if (address.version === 4) return [address];
  const { value } = address;
  const inner = TUNNELS.filter(([network]) => isWithin(address, network)).map(([, bits]) => value >> BigInt(bits));
  if (isWithin(address, TEREDO)) inner.push(~value);
  if (ISATAP.has((value >> 32n) & LOW)) inner.push(value);
  // :: and ::1 are written as such addresses, but are none.
  const reached = value <= 1n ? [] : inner;
  return [address, ...reached.map((found): Address => ({ version: 4, value: found & LOW }))];
}

function networks(text: string): readonly Network[] {
  return text.split(' ').map(networkOf);
}

function networkOf(text: string): Network {
  const network = parseNetwork(text);
  if (network === undefined) throw new Error(`'${text}' is no network`);
  return network;
}
