import { dataOption } from './data-option.ts';
import { shellWord } from './shell-word.ts';
import { visible } from './views/visible.ts';

/** The command that answers what a task of an execution waits for. */
export const signalCommand = (execution: string, name: string, data: string | undefined): string =>
  `noetl exec signal ${visible(execution)} ${shellWord(visible(name))}${visible(dataOption(data))}`;

/** The command that lifts a pause. */
export const resumeCommand = (execution: string, data: string | undefined): string =>
  `noetl exec resume ${visible(execution)}${visible(dataOption(data))}`;
