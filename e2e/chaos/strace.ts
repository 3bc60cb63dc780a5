import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How the kernel is made to lie: to which of its calls, and when, counted by the thread that makes them. */
export interface Injection {
  /** Only to calls for this file. */
  readonly file?: string;
  readonly calls: string;
  /** As strace writes it, such as `error=EIO:when=3`. */
  readonly fault: string;
}

/** The command that starts a program under a fault. */
export const under = ({ calls, fault, file }: Injection): readonly string[] => [
  'strace',
  '-f',
  '-qq',
  // Much faster, but signals are not sent with it.
  ...(fault.startsWith('error') ? ['--seccomp-bpf'] : []),
  ...(file === undefined ? [] : ['-P', file]),
  '-e',
  `trace=${calls}`,
  '-e',
  `inject=${calls}:${fault}`,
  '-e',
  'signal=none',
  '-o',
  '/dev/null',
];

/** Why no faults can be injected on this machine; undefined where they can. */
export function whyNoFaults(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'noetl-strace-'));
  try {
    const [program = '', ...args] = under({ calls: 'fsync', fault: 'error=EIO' });
    const script = `const fs = require('node:fs'); fs.fsyncSync(fs.openSync(${JSON.stringify(join(folder, 'x'))}, 'w'))`;
    const { status, error, stderr } = spawnSync(program, [...args, process.execPath, '-e', script], {
      encoding: 'utf8',
    });
    if (error !== undefined) return 'strace is not installed';
    return stderr.includes('EIO') && status !== 0 ? undefined : 'strace may not trace here';
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** How many such calls the thread makes that makes most of them, while a command runs. */
export function mostCalls(calls: string, file: string): number {
  const counts = new Map<string, number>();
  for (const [, thread = ''] of readFileSync(file, 'utf8').matchAll(
    new RegExp(`^(\\d+) +(?:${calls.replaceAll(',', '|')})\\(`, 'gm'),
  )) {
    counts.set(thread, (counts.get(thread) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}

/** The command that counts calls into a file. */
export const counting = (calls: string, file: string): readonly string[] => [
  'strace',
  '-f',
  '-qq',
  '--seccomp-bpf',
  '-e',
  `trace=${calls}`,
  '-e',
  'signal=none',
  '-o',
  file,
];
