import { shellWord } from './shell-word.ts';

/** The option that names the data folder again, for commands that are proposed to the user. */
export const dataOption = (data: string | undefined): string =>
  data === undefined ? '' : ` --data ${shellWord(data)}`;
