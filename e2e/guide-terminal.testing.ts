import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { main, root } from './program.testing.ts';
import { type Ids, type Scene, type ShownCommand, shownIn, withIds } from './transcript.testing.ts';

/** How long a command may take to print what the guide shows, in milliseconds: nobody waits so long who is not stuck. */
const PATIENCE = 60_000;

/** Something that the guide shows and that is not so. */
interface Mistake {
  readonly line: number;
  readonly command: string;
  readonly shown: string;
  readonly printed: string;
}

/** A terminal in a folder of its own, with `noetl` on its path and the examples beside. */
export interface GuideTerminal {
  /** Does what the guide shows; the answer is undefined if all is as shown. */
  play(scene: Scene): Promise<Mistake | undefined>;
  close(): Promise<void>;
}

interface Running {
  readonly child: ChildProcess;
  /** What the guide has not shown yet. */
  printed: string;
  readonly ended: Promise<number>;
}

export function openGuideTerminal(folder: string): GuideTerminal {
  const programs = join(folder, '.bin');
  mkdirSync(programs);
  writeFileSync(join(programs, 'noetl'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, { mode: 0o755 });
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true });
  const { NOETL_DATA: _, NOETL_SECRETS: __, NOETL_KEY: ___, NOETL_KEY_FILE: ____, ...environment } = process.env;
  const env = {
    ...environment,
    // Keys are made in the configuration of the user; the reader of a guide is somebody else.
    XDG_CONFIG_HOME: join(folder, '.config'),
    NO_COLOR: '1',
    PATH: `${programs}${delimiter}${process.env.PATH}`,
  };
  const background: Running[] = [];
  let ids: Ids = new Map();

  function start(command: string): Running {
    const child = spawn('sh', ['-c', `exec 2>&1; ${command}`], {
      cwd: folder,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const running: Running = {
      child,
      printed: '',
      ended: once(child, 'close').then(([code, signal]) => code ?? 128 + constants.signals[signal as NodeJS.Signals]),
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      running.printed += text;
    });
    return running;
  }

  const mistake = ({ line, command, output, exitCode }: ShownCommand, printed: string, code: number): Mistake => ({
    line,
    command: withIds(command, ids),
    shown: `${output}# exit code ${exitCode}`,
    printed: `${printed}# exit code ${code}`,
  });

  /** Compares with the whole output, now that it ends. */
  async function whole(scene: ShownCommand, running: Running): Promise<Mistake | undefined> {
    const tooLong = setTimeout(() => kill(running, 'SIGKILL'), PATIENCE);
    const code = await running.ended;
    clearTimeout(tooLong);
    const met = shownIn(running.printed, scene.output, ids);
    if (met === undefined || code !== scene.exitCode) return mistake(scene, running.printed, code);
    ids = met.ids;
    return undefined;
  }

  /** Waits until a program that goes on has printed what is shown. */
  async function beginning(scene: ShownCommand, running: Running): Promise<Mistake | undefined> {
    let over = false;
    void running.ended.then(() => {
      over = true;
    });
    for (const begun = Date.now(); ; ) {
      const last = over || Date.now() - begun > PATIENCE;
      const met = shownIn(running.printed, scene.output, ids, 'so far');
      if (met !== undefined) {
        ids = met.ids;
        running.printed = running.printed.slice(met.length);
        return undefined;
      }
      if (last) return mistake(scene, running.printed, 0);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  return {
    async play(scene) {
      if (scene.kind === 'file') {
        mkdirSync(dirname(join(folder, scene.name)), { recursive: true });
        writeFileSync(join(folder, scene.name), scene.text);
        return undefined;
      }
      const command = withIds(scene.command, ids);
      const stop = /^kill(?: -(\w+))? %1$/.exec(command);
      const [first] = background;
      if (command === 'wait' && first !== undefined) {
        background.shift();
        return whole(scene, first);
      }
      if (stop !== null && first !== undefined) {
        kill(first, stop[1] === '9' ? 'SIGKILL' : stop[1] === 'INT' ? 'SIGINT' : 'SIGTERM');
        return undefined;
      }
      if (!scene.background) return whole(scene, start(command));
      // A signal is for the program, not for a shell around it.
      const running = start(`exec ${command.slice(0, -1)}`);
      background.push(running);
      return beginning(scene, running);
    },
    async close() {
      for (const running of background) kill(running, 'SIGKILL');
      await Promise.all(background.map(({ ended }) => ended));
    },
  };
}

/** The program, and whatever it started. */
function kill({ child }: Running, signal: NodeJS.Signals): void {
  if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) process.kill(-child.pid, signal);
}
