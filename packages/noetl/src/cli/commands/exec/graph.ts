import { graphState } from '@noetl/engine';
import { playbookToDot, playbookToMermaid } from '@noetl/playbook';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import { sourceOfExecution } from '../../sourced-plan.ts';
import type { Terminal } from '../../terminal.ts';
import { workflowOverlay } from '../../views/workflow-overlay.ts';
import { logPages } from './log-pages.ts';
import { type ExecOptions, known, looking } from './looking.ts';

const DRAWERS = { mermaid: playbookToMermaid, dot: playbookToDot } as const;

export interface ExecGraphOptions extends ExecOptions {
  readonly format: keyof typeof DRAWERS;
}

/** Prints the workflow of an execution with what happened at its steps and arcs. */
export const execGraph = (
  id: string,
  options: ExecGraphOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> =>
  looking(options, terminal, machine, async (look) => {
    const { position } = await known(id, look);
    const { plan } = await sourceOfExecution(id, look.folder, machine);
    let projection = graphState.initial;
    for await (const events of logPages(id, look.folder, position)) {
      for (const event of events) projection = graphState.fold(projection, event);
    }
    const { steps, arcs } = graphState.view(projection);
    const { format, json } = options;
    const text = DRAWERS[format](plan.playbook, workflowOverlay({ steps, arcs }));
    terminal.print(json ? `${JSON.stringify({ execution_id: id, format, text, steps, arcs })}\n` : text);
    return EXIT.ok;
  });
