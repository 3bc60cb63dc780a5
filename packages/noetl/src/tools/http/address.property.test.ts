import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWithin, parseAddress, parseNetwork } from './address.ts';
import { type AddressClass, classOf } from './address-class.ts';

const byte = fc.integer({ min: 0, max: 255 });
const version4 = fc.tuple(byte, byte, byte, byte);
/** Mostly where something is to be guarded. */
const guarded = fc.oneof(
  fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
  fc.constantFrom([100, 100, 100, 200] as const, [168, 63, 129, 16] as const, [169, 254, 169, 254] as const),
  fc.tuple(fc.integer({ min: 224, max: 239 }), byte, byte, byte),
);
const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });

const hex = (...bytes: readonly number[]): string => bytes.map((one) => one.toString(16).padStart(2, '0')).join('');
const halves = ([a, b, c, d]: readonly [number, number, number, number]): string => `${hex(a, b)}:${hex(c, d)}`;

/** An address of version 4 in the forms that reach it. */
function forms([a, b, c, d]: readonly [number, number, number, number]): readonly string[] {
  const dotted = `${a}.${b}.${c}.${d}`;
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const inUrls = [
    dotted,
    `${whole}`,
    `0x${whole.toString(16)}`,
    `0${whole.toString(8)}`,
    `0${a.toString(8)}.0x${b.toString(16)}.${c}.0${d.toString(8)}`,
    `${a}.${b}.${c * 256 + d}`,
    `${dotted}.`,
  ];
  const turned = [a, b, c, d].map((one) => 255 - one) as [number, number, number, number];
  const pair = halves([a, b, c, d]);
  return [
    ...inUrls.map((host) => new URL(`http://${host}/`).hostname),
    `::ffff:${dotted}`,
    `::ffff:${pair}`,
    `0:0:0:0:0:ffff:${pair}`,
    `::ffff:0:${pair}`,
    `64:ff9b::${pair}`,
    `64:ff9b::${dotted}`,
    `2002:${pair}::1`,
    `2001:0:${pair}::1`,
    `2001:0:808:808:0:0:${halves(turned)}`,
    `2001:db8::5efe:${dotted}`,
  ];
}

const kindOf = (text: string): AddressClass | undefined => {
  const address = parseAddress(text);
  return address === undefined ? undefined : classOf(address);
};

describe('addresses', () => {
  it('that are guarded are guarded in every form', () => {
    fc.assert(
      fc.property(guarded, (address) => {
        const kind = kindOf(address.join('.'));
        expect(['metadata', 'link-local', 'multicast']).toContain(kind);
        for (const form of forms(address)) expect([form, kindOf(form)]).toEqual([form, kind]);
      }),
    );
  });

  it('of version 4 are as bad in every form as they are by themselves', () => {
    fc.assert(
      fc.property(version4, (address) => {
        const kind = kindOf(address.join('.'));
        for (const form of forms(address)) if (kind !== 'public') expect([form, kindOf(form)]).toEqual([form, kind]);
      }),
    );
  });

  it('are what Node takes for addresses', () => {
    const text = fc.oneof(
      version4.map((bytes) => bytes.join('.')),
      groups.map((all) => all.map((group) => group.toString(16)).join(':')),
      groups.map((all) => all.map((group) => (group % 3 === 0 ? '' : group.toString(16))).join(':')),
      fc.stringMatching(/^[0-9a-f:.]{0,24}$/),
    );
    fc.assert(
      fc.property(text, (address) => {
        expect([address, parseAddress(address)?.version ?? 0]).toEqual([address, isIP(address)]);
      }),
    );
  });

  it('are in the networks that Node finds them in', () => {
    const near = fc.tuple(version4, version4, fc.integer({ min: 0, max: 32 }), fc.boolean());
    fc.assert(
      fc.property(near, ([base, other, prefix, same]) => {
        const [network, address] = [base.join('.'), same ? [...base.slice(0, 3), other[3]].join('.') : other.join('.')];
        const list = new BlockList();
        list.addSubnet(network, prefix, 'ipv4');
        const [parsed, found] = [parseNetwork(`${network}/${prefix}`), parseAddress(address)];
        const within = parsed !== undefined && found !== undefined && isWithin(found, parsed);
        expect(within).toBe(list.check(address, 'ipv4'));
      }),
    );
  });
});
