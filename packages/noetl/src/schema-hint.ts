const NAMES = 8;
const NAME_LENGTH = 32;

/** What a person who meets a reference wants to know of an object: `object{a,b,…}`. */
export function objectHint(keys: readonly string[]): string {
  const shown = keys.slice(0, NAMES).map(abridged);
  return `object{${[...shown, ...(keys.length > NAMES ? ['…'] : [])].join(',')}}`;
}

/** So many keys are enough for the hint. */
export const HINTED_KEYS = NAMES + 1;

function abridged(name: string): string {
  const characters = [...name.slice(0, 2 * NAME_LENGTH + 1)];
  return characters.length <= NAME_LENGTH ? name : `${characters.slice(0, NAME_LENGTH).join('')}…`;
}
