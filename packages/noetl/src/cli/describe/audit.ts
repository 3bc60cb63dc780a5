import type { Command } from 'commander';
import {
  type CommandLine,
  DATA,
  dataOf,
  examples,
  type GivenData,
  positiveInteger,
  SERVER_INSTEAD,
  wholeNumber,
} from './command-line.ts';

/** `noetl audit`. */
export function describeAudit(program: Command, { terminal, machine, end }: CommandLine): void {
  program
    .command('audit')
    .summary('list who changed what by a server')
    .description(
      'List who changed something by a server, and who was refused, newest first; also which tokens and credentials were ' +
        'changed on the folder. What was sent is never kept.',
    )
    .option('--before <number>', 'go on behind the page before', wholeNumber)
    .option('--limit <n>', 'how many', positiveInteger, 50)
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--json', 'print a JSON list')
    .addHelpText('after', examples('audit', 'audit --limit 500 --json'))
    .action(async (given: GivenData & { before?: number; limit: number }) => {
      const { audit } = await import('../commands/audit.ts');
      end(await audit({ ...dataOf(given), before: given.before, limit: given.limit }, terminal, machine));
    });
}
