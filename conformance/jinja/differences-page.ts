import { fileURLToPath } from 'node:url';
import { EXAMPLE_CONTEXT, EXPLAINED_DIFFERENCES } from './explained-differences.ts';

export const differencesFile = fileURLToPath(new URL('../../docs/reference/template-differences.md', import.meta.url));

/** The reference page of deviations, made from the list the fuzzer uses. */
export function differencesPage(): string {
  const rows = EXPLAINED_DIFFERENCES.map(({ name, reason, example }) =>
    ['', name, cell(example.template), cell(example.jinja), cell(example.ours), reason, ''].join(' | ').trim(),
  );
  return `${[
    '# Where templates differ from Jinja2',
    '',
    'Templates follow Jinja2 3.1. `npm run fuzz:jinja` compares the engine with real Jinja2 on random templates; the',
    'deviations below are the only ones it accepts. Each is intended, for the reason given.',
    '',
    `The examples run on ${cell(JSON.stringify(EXAMPLE_CONTEXT))}.`,
    '',
    '| name | template | Jinja2 gives | we give | reason |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
    'This page is written by `npm run fuzz:jinja -- --write-docs`; a test keeps it equal to the list in',
    '`conformance/jinja/explained-differences.ts` and runs every example.',
  ].join('\n')}\n`;
}

function cell(code: string): string {
  return `\`${code.replaceAll('|', '\\|').replaceAll('\n', '⏎')}\``;
}
