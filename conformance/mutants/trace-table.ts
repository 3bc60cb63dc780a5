import type { Mutant } from './table.ts';

const tracing = (file: string) => `packages/noetl/src/tracing/${file}.ts`;

/** Wrong edits of how spans are made of logs, and of how they are sent. */
export const TRACE_MUTANTS: readonly Mutant[] = [
  {
    breaks: 'a span is given out once where the log is ahead of what was told',
    file: tracing('tracer'),
    from: 'page.filter(({ seq }) => seq <= entry.newest)',
    to: 'page',
  },
  {
    breaks: 'what ended elsewhere was given out there',
    file: tracing('tracer'),
    from: 'if (entry.next >= entry.from) ended(span);',
    to: 'ended(span);',
  },
  {
    breaks: 'what is left of a loop ends with its step run',
    file: tracing('execution-spans'),
    from: 'for (const iteration of run.iterations.values()) endWork(iteration, end, error ?? LEFT);',
    to: '',
  },
  {
    breaks: 'what is left of a workflow ends with it',
    file: tracing('execution-spans'),
    from: 'for (const id of [...runs.keys()]) endRun(id, at, event.payload.error ?? LEFT);',
    to: '',
  },
  {
    breaks: 'a task run is one span over its retries',
    file: tracing('task-span'),
    from: "if (next.kind === 'retry') {",
    to: "if (next.kind === 'retry' && attempt > 1) {",
  },
  {
    breaks: 'no more spans wait than there is room for',
    file: tracing('span-queue'),
    from: 'if (waiting.length >= most)',
    to: 'if (waiting.length > most)',
  },
  {
    breaks: 'spans that nobody takes are given up',
    file: tracing('span-queue'),
    from: 'if (tries === MOST_TRIES || closing) {',
    to: 'if (closing) {',
  },
  {
    breaks: 'no query of an address is in a span (SEC-3)',
    file: tracing('task-attributes'),
    from: `'url.full': \`\${origin}\${pathname}\``,
    to: "'url.full': text",
  },
];
