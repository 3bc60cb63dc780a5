import { type Command, Option } from 'commander';
import { type CommandLine, examples } from './command-line.ts';

/** `noetl migrate`. */
export function describeMigrate(program: Command, { terminal, end }: CommandLine): void {
  program
    .command('migrate')
    .summary('rewrite playbooks of older dialects')
    .description(
      'Rewrite playbooks of older dialects to the language of today, keeping comments and order. Prints how the files ' +
        'would change; and to standard error which dialects they are written in, every change with its reason, and ' +
        'what cannot be translated. Of a folder all .yaml and .yml files are taken, at any depth. The exit code is 4 if ' +
        'a file cannot be translated, otherwise 0.',
    )
    .argument('<target...>', 'files, folders or globs, or - for standard input')
    .option('--write', 'change the files, except those that cannot be translated; print what comes of standard input')
    .addOption(
      new Option('--check', 'only say which files would change; the exit code is 4 if one would').conflicts('write'),
    )
    .option('--json', 'print a JSON list, with an entry for each file: dialects, changed, notes, problems, text')
    .addHelpText(
      'after',
      examples(
        'migrate etl.yaml',
        'migrate flows --write',
        "migrate --check 'flows/**/*.yaml'",
        'migrate - < etl.yaml',
      ),
    )
    .action(async (targets: string[], given: { write?: boolean; check?: boolean; json?: boolean }) => {
      const { migrate } = await import('../commands/migrate.ts');
      const mode = given.write ? 'write' : given.check ? 'check' : 'diff';
      end(await migrate({ targets, mode, json: given.json ?? false }, terminal));
    });
}
