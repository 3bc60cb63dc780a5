import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The options of a command of the workspace. Prints its help if that is asked for; what makes no sense ends it. */
export function optionsOf<Options extends NonNullable<ParseArgsConfig['options']>>(options: Options, help: string) {
  const asked = { ...options, help: { type: 'boolean' } } as const;
  try {
    const { values } = parseArgs({ options: asked });
    if ('help' in values && values.help) {
      console.log(help);
      process.exit(0);
    }
    return values;
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : String(error)}\n\n${help}`);
    process.exit(2);
  }
}
