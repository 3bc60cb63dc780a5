import type { Command } from 'commander';
import { type CommandLine, collect, DATA, dataOf, examples, type GivenData, SERVER_INSTEAD } from '../command-line.ts';

/** `noetl exec start`. */
export function describeExecStart(exec: Command, { terminal, machine, end }: CommandLine): void {
  exec
    .command('start')
    .summary('start a playbook of the catalog by a server, and return')
    .description(
      'Start a playbook of the catalog by the server that runs on the data folder, or by another, and print the id of ' +
        'the execution. Nobody waits for its end: noetl exec watch follows it, noetl exec result gives what came of it.',
    )
    .argument('<playbook>', 'PATH of the catalog, or PATH@N for one of its versions')
    .option('--set <name=value>', 'a value of the workload, such as city=Bern or limits.rows=5', collect, [])
    .option('--payload <json>', 'values of the workload as a JSON object, @FILE, or - for standard input')
    .option('--key <key>', 'an idempotency key: asking again with it starts nothing new, and answers the same id')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--json', 'print a JSON object')
    .addHelpText(
      'after',
      examples('exec start flows/greet --set city=Bern', 'exec start flows/greet@3 --key order-17 --json'),
    )
    .action(async (playbook: string, given: GivenData & { set: readonly string[]; payload?: string; key?: string }) => {
      const { execStart } = await import('../../commands/exec/start.ts');
      const { set, payload, key } = given;
      end(await execStart(playbook, { ...dataOf(given), set, payload, key }, terminal, machine));
    });
}
