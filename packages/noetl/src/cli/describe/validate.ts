import type { Command } from 'commander';
import { choiceOption } from '../choice-option.ts';
import type { ValidateOptions } from '../commands/validate.ts';
import { type CommandLine, examples } from './command-line.ts';

/** `noetl validate`. */
export function describeValidate(program: Command, { terminal, end }: CommandLine): void {
  program
    .command('validate')
    .summary('say what is wrong with playbooks')
    .description(
      'Read playbooks and print what is wrong with them, and where. Of a folder all .yaml and .yml files are read, at ' +
        'any depth. The exit code is 4 if there is an error, otherwise 0.',
    )
    .argument('<target...>', 'files, folders or globs, or - for standard input')
    .addOption(choiceOption('-f, --format <format>', 'how to print diagnostics', ['pretty', 'json', 'github']))
    .option('--json', 'the same as --format json')
    .option('--strict', 'take warnings for errors')
    .option('--legacy', 'read playbooks of older dialects as noetl migrate would rewrite them')
    .addHelpText('after', examples('validate examples', "validate 'flows/**/*.yaml' --strict", 'validate - < etl.yaml'))
    .action(
      async (
        targets: string[],
        options: { format: ValidateOptions['format']; json?: boolean; strict?: boolean; legacy?: boolean },
      ) => {
        const { validate } = await import('../commands/validate.ts');
        const format = options.json ? 'json' : options.format;
        const { strict = false, legacy = false } = options;
        end(await validate({ targets, format, strict, legacy }, terminal));
      },
    );
}
