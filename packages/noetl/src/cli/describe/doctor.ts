import type { Command } from 'commander';
import { type CommandLine, DATA, dataOf, examples, type GivenData } from './command-line.ts';

/** `noetl doctor`. */
export function describeDoctor(program: Command, { terminal, machine, end }: CommandLine): void {
  program
    .command('doctor')
    .summary('look whether this machine has what playbooks need')
    .description(
      'Look at Node, python3, the shell, the disk and the data folder, and say what is missing and what to do. The exit ' +
        'code is 1 if playbooks cannot run here.',
    )
    .option(...DATA)
    .option('--json', 'print a JSON list')
    .addHelpText('after', examples('doctor'))
    .action(async (given: GivenData) => {
      const { doctor } = await import('../commands/doctor.ts');
      end(await doctor(dataOf(given), terminal, machine));
    });
}
