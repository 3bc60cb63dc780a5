import { parseArgs } from 'node:util';

type Options = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;
type Values<Known extends Options> = {
  readonly [Name in keyof Known]?: Known[Name]['type'] extends 'boolean' ? boolean : string;
};

/** Runs what is asked for on the command line: with `--help` only its help; the exit code is 2 if the options make no sense. */
export async function programOfOptions<const Known extends Options>(
  help: string,
  options: Known,
  run: (values: Values<Known>) => Promise<number>,
): Promise<void> {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } as Options });
    if (values.help === true) console.log(help);
    else process.exitCode = await run(values as Values<Known>);
  } catch (error) {
    console.error(`error: ${(error as Error).message}`);
    process.exitCode = 2;
  }
}
