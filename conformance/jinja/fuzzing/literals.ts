import { randomFloat, randomInt, randomText, randomWord } from './data.ts';
import { expr, type Piece } from './piece.ts';
import type { Random } from './random.ts';

export function intLiteral(random: Random): Piece {
  return expr`${random.pick([
    () => String(random.int(0, 9)),
    () => String(Math.abs(randomInt(random))),
    () => random.pick(['1_000', '0xff', '0XfF', '0o17', '0b101', '1_2_3', '00', '0_0']),
    () => random.pick(['9007199254740993', '18446744073709551616', '100000000000000000000', '9007199254740992']),
  ])()}`;
}

export function floatLiteral(random: Random): Piece {
  const plain = () => {
    const text = String(Math.abs(randomFloat(random)));
    return text.includes('.') ? text : `${text.replace(/e.*$/, '')}.5`;
  };
  return expr`${random.pick([
    plain,
    () =>
      random.pick(['1.0', '2.0', '0.0', '10.0', '1e3', '2.5e-3', '1_0.2_5', '1E2', '1e+2', '1e16', '1e22', '12.50']),
  ])()}`;
}

const ESCAPES = ['\\n', '\\t', '\\\\', "\\'", '\\"', '\\x41', '\\u00e9', '\\U0001F600', '\\101', '\\d', '\\0', '\\r'];

export function textLiteral(random: Random): Piece {
  const literal = () => {
    const quote = random.pick(["'", '"']);
    const text = random.chance(0.6) ? randomWord(random) : randomText(random);
    const quoted = text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`);
    return `${quote}${quoted}${random.chance(0.15) ? random.pick(ESCAPES) : ''}${quote}`;
  };
  return random.chance(0.05) ? expr`${literal()} ${literal()}` : expr`${literal()}`;
}

/** A short text for separators, pads and needles. */
export function needle(random: Random): Piece {
  return expr`${random.pick(["','", "'-'", "' '", "''", "'a'", "'l'", "'e'", "'<b>'", "'pp'", "'😀'", "'\\n'", "'0'", "', '"])}`;
}
