import { Command, CommanderError } from 'commander';
import { describeAudit } from './describe/audit.ts';
import { describeCatalog } from './describe/catalog.ts';
import type { CommandLine } from './describe/command-line.ts';
import { describeCompletion } from './describe/completion.ts';
import { describeCredential } from './describe/credential.ts';
import { describeDoctor } from './describe/doctor.ts';
import { describeExec } from './describe/exec.ts';
import { describeGc } from './describe/gc.ts';
import { describeGraph } from './describe/graph.ts';
import { describeInit } from './describe/init.ts';
import { describeMigrate } from './describe/migrate.ts';
import { describeRender } from './describe/render.ts';
import { describeRun } from './describe/run.ts';
import { describeSchema } from './describe/schema.ts';
import { describeServer } from './describe/server.ts';
import { describeToken } from './describe/token.ts';
import { describeValidate } from './describe/validate.ts';
import { describeWorker } from './describe/worker.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { Machine } from './machine.ts';
import type { Terminal } from './terminal.ts';
import { toldFailure } from './told-failure.ts';

/** Runs one command line and answers with its exit code; whatever there is to say has then been said. */
export async function runProgram(
  args: readonly string[],
  version: string,
  terminal: Terminal,
  machine: Machine,
): Promise<number> {
  let exitCode: ExitCode = EXIT.ok;
  const end = (code: ExitCode) => {
    exitCode = code;
  };
  try {
    await describeProgram({ terminal, machine, version, end }).parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has printed its help or its complaint already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const { text, exitCode: failed } = toldFailure(error);
    terminal.complain(text);
    return failed;
  }
}

/** Every command with its options. What a command does is loaded only when it runs, so that the others start quickly. */
function describeProgram(line: CommandLine): Command {
  const { terminal, version } = line;
  const program = new Command('noetl')
    .description('Run playbooks durably, visibly and fast.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print help for a command')
    .exitOverride()
    // What stands behind a command is that command's: `catalog get --version 2` asks for a version, not for ours.
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => terminal.print(text),
      writeErr: (text) => terminal.complain(text),
      getOutHelpWidth: () => terminal.columns,
      getErrHelpWidth: () => terminal.columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  const commands = [
    describeRun,
    describeExec,
    describeCatalog,
    describeCredential,
    describeServer,
    describeWorker,
    describeToken,
    describeAudit,
    describeValidate,
    describeMigrate,
    describeGraph,
    describeInit,
    describeSchema,
    describeRender,
    describeDoctor,
    describeGc,
    describeCompletion,
  ];
  for (const describe of commands) describe(program, line);
  return program;
}
