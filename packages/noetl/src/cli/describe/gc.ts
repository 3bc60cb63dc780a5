import type { Command } from 'commander';
import { type CommandLine, DATA, dataOf, examples, type GivenData } from './command-line.ts';
import { durationOption } from './duration-option.ts';

/** `noetl gc`. */
export function describeGc(program: Command, { terminal, machine, end }: CommandLine): void {
  program
    .command('gc')
    .summary('remove what is needed no more')
    .description(
      'Remove stored results that no execution needs any more; with --older-than also executions that are over for that ' +
        'long, with their logs and results. Executions that called each other go together, and what a fork was made from ' +
        'stays as long as the fork. It may run beside others: what was stored within the last hour stays.',
    )
    .option('--older-than <time>', 'remove executions that ended so long ago: 30d, 12h, 90m, 2w', durationOption)
    .option('--dry-run', 'only tell what would be removed')
    .option(...DATA)
    .option('--json', 'print one line of JSON')
    .addHelpText('after', examples('gc', 'gc --older-than 30d', 'gc --older-than 2w --dry-run'))
    .action(async (given: GivenData & { readonly olderThan?: number; readonly dryRun?: boolean }) => {
      const { gc } = await import('../commands/gc.ts');
      end(await gc({ ...dataOf(given), olderThan: given.olderThan, dryRun: given.dryRun ?? false }, terminal, machine));
    });
}
