import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { Dice } from '../../packages/noetl/src/simulation/dice.testing.ts';
import type { Fate } from './lives.ts';

/**
 * Who dies: the program alone, whose tools are then ended by whoever watches over them; everything at once, as by a loss
 * of power; the program and who watches over its tools, so that these go on with nobody to tell.
 */
export type Victims = 'program' | 'everything' | 'all but tools';

/** A kill -9 some milliseconds after some event was printed, or after the start. */
export interface Kill {
  readonly events: number;
  readonly delay: number;
  readonly victims: Victims;
}

/** Moments do not depend on how fast the machine is: they count from something that the program has told. */
export function randomKill(dice: Dice, most: number): Kill {
  const events = Math.max(0, dice.between(-2, most));
  return {
    events,
    delay: dice.roll(events > 0 ? 40 : 600),
    victims: dice.pick(['program', 'program', 'everything', 'all but tools']),
  };
}

export const toldKill = ({ events, delay, victims }: Kill): string =>
  `${victims} ${delay} ms after ${events === 0 ? 'the start' : `event ${events}`}`;

export function killedBy({ events, delay, victims }: Kill, killed: () => void): Fate {
  return {
    hurried: victims === 'all but tools',
    watch(child) {
      let timer: NodeJS.Timeout | undefined;
      const soon = (): void => {
        timer ??= setTimeout(() => {
          if (kill(child, victims)) killed();
        }, delay);
      };
      if (events === 0) soon();
      let seen = 0;
      return {
        printed: () => {
          if (++seen === events) soon();
        },
        forget: () => clearTimeout(timer),
      };
    },
  };
}

/** False if it was over already. */
export function kill(child: ChildProcess, victims: Victims): boolean {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return false;
  if (victims !== 'program') {
    // Standing still it cannot start anything in place of what is ended before it.
    child.kill('SIGSTOP');
    for (const below of childrenOf(pid)) if (victims === 'everything' || isGuardian(below)) end(below);
  }
  return child.kill('SIGKILL');
}

function end(pid: number): void {
  try {
    // What a tool starts is in the tool's group.
    process.kill(isGuardian(pid) ? pid : -pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    words(`/proc/${pid}/task/${thread}/children`).map(Number),
  );
}

/** The shell that ends the tools of a program that is gone. */
const isGuardian = (pid: number): boolean => text(`/proc/${pid}/cmdline`).includes('groups=""');

const words = (file: string): readonly string[] =>
  text(file)
    .split(' ')
    .filter((word) => word !== '');

function text(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
}
