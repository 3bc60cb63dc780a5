import { Command, CommanderError } from 'commander';
import { ServerProblem, ServerUnreachable } from '../client/server-error.ts';
import { StoreError } from '../ports/store-error.ts';
import { KeyProblem } from '../secrets/key-problem.ts';
import { CommandFailure } from './command-failure.ts';
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
    if (error instanceof CommandFailure) {
      terminal.complain(`${error.message}\n`);
      return error.exitCode;
    }
    if (error instanceof ServerUnreachable) {
      terminal.complain(`error: ${error.message}\n`);
      return EXIT.unreachable;
    }
    if (error instanceof ServerProblem) {
      terminal.complain(`error: ${error.code}: ${error.message}\n`);
      return error.status >= 500 ? EXIT.failed : EXIT.usage;
    }
    if (error instanceof KeyProblem) {
      terminal.complain(`error: ${error.message}\n`);
      return EXIT.failed;
    }
    if (error instanceof StoreError) {
      terminal.complain(`error: ${error.code}: ${error.message}\n`);
      return EXIT.failed;
    }
    // Commander has printed its help or its complaint already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    terminal.complain(unexpected(error));
    return EXIT.failed;
  }
}

/** A bug, or a file that somebody changed in a way that nobody looked for. */
const unexpected = (error: unknown): string => {
  const [what = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return `error: noetl met what it does not know how to go on from: ${what}\nIf files of the data folder were changed, 'noetl exec verify --all' says which. Otherwise this is a bug.\n`;
};

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
