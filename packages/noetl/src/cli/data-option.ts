import { shellWord } from './shell-word.ts';

/**
 * The option that names the data folder again, or the server instead of one, for commands that are proposed to the user.
 */
export const dataOption = (data: string | undefined): string =>
  data === undefined ? '' : ` ${isServer(data) ? '--server' : '--data'} ${shellWord(data)}`;

/** Whether what stands for a data folder is a server. */
export const isServer = (data: string): boolean => /^https?:\/\//.test(data);
