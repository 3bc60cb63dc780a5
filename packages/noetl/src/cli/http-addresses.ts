import { type Network, parseNetwork } from '../tools/http/address.ts';
import type { AddressRules, DeniedClass } from '../tools/http/address-rules.ts';
import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-code.ts';
import type { Machine } from './machine.ts';

const CLASSES: readonly string[] = ['private', 'loopback'] satisfies readonly DeniedClass[];

/** `NOETL_HTTP_DENY` and `NOETL_HTTP_ALLOW`: which addresses tasks may connect to. A mistake in them ends the command. */
export function httpAddresses({ environment }: Pick<Machine, 'environment'>): AddressRules {
  const { NOETL_HTTP_DENY: deny, NOETL_HTTP_ALLOW: allow } = environment;
  return {
    deny: wordsOf(deny).map((word) =>
      isClass(word) ? word : networkOf('NOETL_HTTP_DENY', word, 'private, loopback, or a network such as 10.0.0.0/8'),
    ),
    allow: wordsOf(allow).map((word) => networkOf('NOETL_HTTP_ALLOW', word, 'a network such as 10.1.0.0/16')),
  };
}

const isClass = (word: string): word is DeniedClass => CLASSES.includes(word);

const wordsOf = (text = ''): readonly string[] => text.split(/[\s,]+/).filter((word) => word !== '');

function networkOf(variable: string, word: string, expected: string): Network {
  const network = parseNetwork(word);
  if (network !== undefined) return network;
  throw new CommandFailure(EXIT.usage, `error: ${variable} has '${word}', expected ${expected}.`);
}
