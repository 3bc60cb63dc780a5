#!/usr/bin/env node
// The composition root: the only place that touches the process, its streams and its clock.

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { askOn } from './ask.ts';
import { createDisk } from './disk.ts';
import { EXIT } from './exit-code.ts';
import { runProgram } from './program.ts';
import { passOverSqliteWarning } from './sqlite-warning.ts';
import type { Terminal } from './terminal.ts';
import { stopUnread, thisMachine } from './this-machine.ts';

const terminal: Terminal = {
  read: (file) => (file === '-' ? text(process.stdin) : readFile(file, 'utf8')),
  ...createDisk(() => process.stdin),
  ask: process.stdin.isTTY ? askOn(process.stdin, (shown) => process.stderr.write(shown)) : undefined,
  print: (output) => process.stdout.write(output),
  complain: (message) => process.stderr.write(message),
  get columns() {
    return process.stderr.columns ?? process.stdout.columns ?? 80;
  },
  // https://no-color.org
  color: process.stdout.isTTY && process.env.TERM !== 'dumb' && !process.env.NO_COLOR,
  watched: process.stderr.isTTY && process.env.TERM !== 'dumb',
  watchedInColor: process.stderr.isTTY && process.env.TERM !== 'dumb' && !process.env.NO_COLOR,
  now: Date.now,
  elapsed: () => performance.now(),
  seed: () => Math.floor(Math.random() * 2 ** 32),
};

let unread = false;
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      // Whoever read our output (`| head`) has seen enough; that is no failure of ours. What runs is stopped in good
      // order, and what only looks comes to its own end and verdict.
      if (!unread) stopUnread();
      unread = true;
      return;
    }
    // The terminal is gone, and so is who would read a complaint. SIGHUP has told the program to stop.
    if (error.code === 'EIO') return;
    terminal.complain(`error: cannot write the output: ${error.message}\n`);
    process.exit(EXIT.failed);
  });
}

passOverSqliteWarning(process);

const manifest: { version: string } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const exitCode = await runProgram(process.argv.slice(2), manifest.version, terminal, thisMachine);
process.exitCode = exitCode;
if (exitCode === EXIT.SIGHUP && [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY)) {
  // Node aborts when it cannot restore the settings of a terminal that is gone. The signal itself ends the program with
  // the same code, as a shell counts it.
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}
