import { isIP } from 'node:net';
import { describe, expect, it } from 'vitest';
import { isWithin, parseAddress, parseNetwork } from './address.ts';
import { type AddressClass, classOf } from './address-class.ts';

const CLASSES: Readonly<Record<AddressClass, string>> = {
  metadata:
    '169.254.169.254 169.254.170.2 100.100.100.200 168.63.129.16 192.0.0.192 fd00:ec2::254 fd20:ce::254 ' +
    '::ffff:169.254.169.254 ::ffff:a9fe:a9fe ::ffff:0:169.254.169.254 ::169.254.169.254 64:ff9b::a9fe:a9fe ' +
    '2002:a9fe:a9fe:: 2002:a9fe:a9fe:1::1 2001:0:a9fe:a9fe::1 2001:0:808:808:0:0:5601:5601 fe80::5efe:169.254.169.254 ' +
    '2001:db8::200:5efe:169.254.169.254 0:0:0:0:0:FFFF:A9FE:A9FE ::ffff:100.100.100.200',
  'link-local': '169.254.0.1 169.254.255.255 fe80::1 fe80::1%eth0 febf:ffff::1 ::ffff:169.254.1.1 64:ff9b::169.254.1.1',
  multicast: '224.0.0.1 239.255.255.255 255.255.255.255 ff02::1 ::ffff:224.0.0.1',
  loopback:
    '127.0.0.1 127.255.255.255 0.0.0.0 0.1.2.3 ::1 :: ::ffff:127.0.0.1 ::ffff:0.0.0.0 64:ff9b::7f00:1 2002:7f00:1::',
  private:
    '10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 198.18.0.1 240.0.0.1 fc00::1 fdff::1 fec0::1 ' +
    '64:ff9b:1::1 ::ffff:10.0.0.1 2002:a00:1:: 2001:0:a00:1::1',
  public:
    '8.8.8.8 1.1.1.1 172.15.255.255 172.32.0.1 100.63.255.255 100.128.0.1 169.253.255.255 169.255.0.1 223.255.255.255 ' +
    '192.169.0.1 2606:4700::1111 2001:4860:4860::8888 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1 fe00::1',
};
const CASES = Object.entries(CLASSES).flatMap(([kind, list]) => list.split(' ').map((text) => [text, kind] as const));

describe('addresses', () => {
  it.each(CASES)('%s is %s', (text, kind) => {
    const address = parseAddress(text);
    expect(address === undefined ? undefined : classOf(address)).toBe(kind);
  });

  // What stands in a URL: the parser of URLs writes every form of an address in the same way.
  it.each([
    ['2852039166', 'metadata'],
    ['0xa9fea9fe', 'metadata'],
    ['0xA9.0xFE.0xA9.0xFE', 'metadata'],
    ['0251.0376.0251.0376', 'metadata'],
    ['169.254.43518', 'metadata'],
    ['169.16689662', 'metadata'],
    ['１６９.254.169.254', 'metadata'],
    ['169。254。169。254', 'metadata'],
    ['169.254.169.254.', 'metadata'],
    ['%31%36%39.254.169.254', 'metadata'],
    ['127.1', 'loopback'],
    ['0', 'loopback'],
    ['017700000001', 'loopback'],
    ['[::ffff:7f00:1]', 'loopback'],
    ['[::]', 'loopback'],
    ['[::ffff:169.254.169.254]', 'metadata'],
    ['0x0a000001', 'private'],
    ['134744072', 'public'],
  ])('http://%s/ leads to a %s address', (host, kind) => {
    const address = parseAddress(new URL(`http://${host}/`).hostname.replace(/^\[(.*)\]$/, '$1'));
    expect(address === undefined ? undefined : classOf(address)).toBe(kind);
  });

  it.each(
    '1.2.3 1.2.3.256 01.2.3.4 1.2.3.4.5 a.b.c.d 1.2.3.-4 :: :::1 1::2::3 1:2:3:4:5:6:7 1:2:3:4:5:6:7:8 12345::1 1:2:3:4:5:6:7:8:9 ::1.2.3.4.5 ::1.2.3 1.2.3.4:: 1:2:3:4:5:6:1.2.3.4 ::ffff:1.2.3.4 localhost'.split(
      ' ',
    ),
  )('%s is an address where Node takes it for one', (text) => {
    expect(parseAddress(text) !== undefined).toBe(isIP(text) !== 0);
  });
});

describe('networks', () => {
  it.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.3', '10.1.2.4', false],
    ['0.0.0.0/0', '8.8.8.8', true],
    ['0.0.0.0/0', '::1', false],
    ['fd00::/8', 'fd12::1', true],
    ['::1/128', '::1', true],
  ])('%s has %s: %s', (network, address, within) => {
    const [parsed, found] = [parseNetwork(network), parseAddress(address)];
    expect(parsed !== undefined && found !== undefined && isWithin(found, parsed)).toBe(within);
  });

  it.each(['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/a', '10.0.0.0/8/8', 'fe80::1%eth0', 'example.com', ''])(
    '%j is none',
    (text) => {
      expect(parseNetwork(text)).toBeUndefined();
    },
  );
});
