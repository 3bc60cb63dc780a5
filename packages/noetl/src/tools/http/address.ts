/** An address of the internet protocol as a number. */
export interface Address {
  readonly version: 4 | 6;
  readonly value: bigint;
}

/** All addresses that begin with the same bits. */
export interface Network extends Address {
  readonly prefix: number;
}

const BITS = { 4: 32, 6: 128 } as const;

/** Undefined if the text is no address: a name, or a form of it that no system would take for one. */
export function parseAddress(text: string): Address | undefined {
  // fe80::1%eth0: the network card is no part of the address.
  const [plain = ''] = text.split('%');
  return plain.includes(':') ? parseVersion6(plain) : parseVersion4(plain);
}

/** `10.0.0.0/8`, or one address. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', prefix, ...rest] = text.split('/');
  const parsed = parseAddress(address);
  if (parsed === undefined || rest.length > 0 || address.includes('%')) return undefined;
  const length = prefix === undefined ? BITS[parsed.version] : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  return length <= BITS[parsed.version] ? { ...parsed, prefix: length } : undefined;
}

export function isWithin({ version, value }: Address, network: Network): boolean {
  const rest = BigInt(BITS[version] - network.prefix);
  return version === network.version && value >> rest === network.value >> rest;
}

function parseVersion4(text: string): Address | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) {
    return undefined;
  }
  return { version: 4, value: parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n) };
}

function parseVersion6(text: string): Address | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  // 1.2.3.4:: is none: an address of version 4 can only be the end.
  if (halves.length === 2 && halves[0]?.includes('.') === true) return undefined;
  const [before, after] = [groupsOf(halves[0] ?? ''), groupsOf(halves[1] ?? '')];
  if (before === undefined || after === undefined) return undefined;
  const missing = 8 - before.length - after.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...before, ...Array<bigint>(missing).fill(0n), ...after];
  return { version: 6, value: groups.reduce((value, group) => (value << 16n) | group, 0n) };
}

/** Groups of 16 bits; the last two may be written as an address of version 4. */
function groupsOf(text: string): readonly bigint[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const last = parts.at(-1) ?? '';
  const tail = last.includes('.') ? parseVersion4(last) : undefined;
  const plain = tail === undefined ? parts : parts.slice(0, -1);
  if (!plain.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return undefined;
  const groups = plain.map((part) => BigInt(`0x${part}`));
  return tail === undefined ? groups : [...groups, tail.value >> 16n, tail.value & 0xffffn];
}
