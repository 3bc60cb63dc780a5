import { createEngine, TemplateError } from '@noetl/template';
import { HOSTILE_INPUTS } from './hostile-inputs.ts';

/** Runs one hostile input and prints how long it took, how far memory grew, and how it ended. */
const source = HOSTILE_INPUTS[process.argv[2] ?? ''];
if (source === undefined) throw new Error(`no hostile input named '${process.argv[2]}'`);

const engine = createEngine();
engine.compile('{{ [1, 2] | sum }}').render({});
const memoryBefore = process.resourceUsage().maxRSS;
const started = performance.now();
const code = outcomeOf(source);
const ms = performance.now() - started;
const megabytes = (process.resourceUsage().maxRSS - memoryBefore) / 1024;
console.log(JSON.stringify({ ms, megabytes, code }));

function outcomeOf(template: string): string {
  try {
    engine.compile(template).render({});
    return 'no error';
  } catch (error) {
    return error instanceof TemplateError ? error.code : `not a TemplateError: ${String(error)}`;
  }
}
