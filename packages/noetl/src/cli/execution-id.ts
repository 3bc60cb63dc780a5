/** Letters and digits that nobody mistakes for each other; in the order of their codes. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** An id that sorts by time: ten characters of milliseconds, and ten of chance so that no two are alike. */
export function executionId(now: number, chance: () => number): string {
  let time = '';
  for (let rest = now, place = 0; place < 10; place++) {
    time = `${ALPHABET[rest % 32]}${time}`;
    rest = Math.floor(rest / 32);
  }
  return time + Array.from({ length: 10 }, () => ALPHABET[chance() % 32]).join('');
}
