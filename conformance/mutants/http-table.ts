import type { Mutant } from './table.ts';

const http = (file: string) => `packages/noetl/src/tools/http/${file}.ts`;

/** Wrong edits of what tasks may connect to, of what another origin learns, and of what a body may become. */
export const HTTP_MUTANTS: readonly Mutant[] = [
  {
    breaks: 'an address is checked where no name is looked up',
    file: http('guarded-agent'),
    from: 'isIP(hostname) === 0 ? undefined :',
    to: 'isIP(hostname) === 0 || true ? undefined :',
  },
  {
    breaks: 'what a name means is checked when it is connected to',
    file: http('guarded-agent'),
    from: 'const problems = addresses.map(({ address }) => refused(host, address));',
    to: 'const problems = addresses.map(() => undefined);',
  },
  {
    breaks: 'of several addresses only those are used that are allowed',
    file: http('guarded-agent'),
    from: 'options.all === true ? callback(null, [...allowed])',
    to: 'options.all === true ? callback(null, [...addresses])',
  },
  {
    breaks: 'nothing allows the ports of the installation itself',
    file: http('address-rules'),
    from: 'if (ownPorts.has(port) && (',
    to: 'if (ownPorts.has(port) && allow.length === 0 && (',
  },
  {
    breaks: 'the installation has all the addresses of its machine',
    file: http('address-rules'),
    from: "(kind === 'loopback' || isOwn(address))",
    to: "kind === 'loopback'",
  },
  {
    breaks: 'an address inside of another counts',
    file: http('address-class'),
    from: 'const found = addressesIn(address).map(plainClassOf);',
    to: 'const found = [plainClassOf(address)];',
  },
  {
    breaks: 'a network that is refused is refused in every form',
    file: http('address-rules'),
    from: 'addressesIn(address).some((reached) => isWithin(reached, rule))',
    to: 'isWithin(address, rule)',
  },
  {
    breaks: 'another origin gets no credential',
    file: http('send'),
    from: 'url.origin === request.url.origin ? request.headers : carriedHeaders(request.headers)',
    to: 'request.headers',
  },
  {
    breaks: 'a layer in between may not become too large',
    file: http('unpack'),
    from: 'if (size > limit) return new TooLarge();',
    to: '',
  },
  {
    breaks: 'a body may not become hundreds of times as large',
    file: http('unpack'),
    from: 'size <= packed * MOST_TIMES',
    to: 'true',
  },
  {
    breaks: 'the name of a file stays inside of its quotes',
    file: http('multipart'),
    from: String.raw`name.replace(/["\r\n]/g,`,
    to: String.raw`name.replace(/[\r\n]/g,`,
  },
];
