import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const main = join(root, 'packages/noetl/dist/bundle/main.js');

interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface StartOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** What standard input holds. */
  readonly input?: string;
  /** A program, with its arguments, that is given the command to run. */
  readonly through?: readonly string[];
  /** As another user; only root can. */
  readonly uid?: number;
}

/** The built program, with a folder of its own for playbooks and data. */
export interface Program {
  readonly folder: string;
  /** A data folder that nothing was written to yet. */
  newData(): string;
  /** Writes a playbook into a folder that is there, and answers with its file. */
  playbook(name: string, body: string): string;
  start(args: readonly string[], options?: StartOptions): ChildProcess;
  /** Runs it to its end; fails if a process that it started is still there soon after. */
  run(args: readonly string[], options?: StartOptions): Promise<Ending>;
  /** The same for a program that was started before. */
  end(child: ChildProcess): Promise<Ending>;
  close(): Promise<void>;
}

/** Whatever a program starts inherits its mark. */
const MARK = 'NOETL_E2E_MARK';
/** How long something that must happen may take on a busy machine, in milliseconds. */
const PATIENCE = 30_000;

/** Builds what is not built yet, as the launcher does. */
export function built(): void {
  execFileSync(join(root, 'noetl'), ['--version']);
}

export function openProgram(): Program {
  built();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'noetl-run-')));
  let made = 0;
  const marks = new Map<ChildProcess, string>();

  const start: Program['start'] = (args, { cwd = folder, env = {}, input, through = [], uid } = {}) => {
    const mark = randomUUID();
    const [program = '', ...rest] = [...through, process.execPath, main, ...args];
    const child = spawn(program, rest, {
      cwd,
      env: { ...process.env, NO_COLOR: '1', ...env, [MARK]: mark },
      ...(uid === undefined ? {} : { uid, gid: uid }),
      // A process group of its own, as a shell gives it.
      detached: true,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    marks.set(child, mark);
    child.stdin?.end(input);
    return child;
  };

  const end: Program['end'] = async (child) => {
    const ending = await endingOf(child);
    await nothingLeftOf(marks.get(child) ?? '');
    marks.delete(child);
    return ending;
  };

  return {
    folder,
    newData: () => join(folder, `data-${++made}`),
    playbook(name, body) {
      const file = join(folder, `${name}.yaml`);
      writeFileSync(
        file,
        `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: ${basename(name)}, path: ${basename(name)} }\n${body}`,
      );
      return file;
    },
    start,
    end,
    run: (args, options) => end(start(args, options)),
    async close() {
      for (const child of marks.keys()) child.kill('SIGKILL');
      await Promise.all([...marks.values()].map(nothingLeftOf));
      rmSync(folder, { recursive: true });
    },
  };
}

async function endingOf(child: ChildProcess): Promise<Ending> {
  if (child.stdout === null || child.stderr === null) throw new Error('the program has no streams');
  const [[code, signal], stdout, stderr] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, signal, stdout, stderr };
}

async function nothingLeftOf(mark: string): Promise<void> {
  for (const begun = Date.now(); ; ) {
    const left = commandsWith(mark);
    if (left.length === 0) return;
    if (Date.now() - begun > PATIENCE) throw new Error(`still running: ${left.join('; ')}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function commandsWith(mark: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const marked = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`${MARK}=${mark}`);
        return marked ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 200)] : [];
      } catch {
        // It has ended, or is not ours to look at.
        return [];
      }
    });
}
