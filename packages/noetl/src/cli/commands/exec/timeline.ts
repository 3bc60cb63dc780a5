import { summary, timeline } from '@noetl/engine';
import { CommandFailure } from '../../command-failure.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import type { Terminal } from '../../terminal.ts';
import { timelineJson } from '../../views/timeline-json.ts';
import { timelineRows } from '../../views/timeline-rows.ts';
import { timelineSvg } from '../../views/timeline-svg.ts';
import { timelineText } from '../../views/timeline-text.ts';
import { logPages } from './log-pages.ts';
import { type ExecOptions, known, looking } from './looking.ts';

export interface TimelineOptions extends ExecOptions {
  /** The file that the SVG goes to, `-` for standard output; undefined for a chart of characters. */
  readonly svg: string | undefined;
  /** Columns, or pixels of the SVG. */
  readonly width: number | undefined;
  readonly rows: number;
  /** Iterations of each loop with bars of their own. */
  readonly iterations: number;
}

const SVG_WIDTH = 1_000;

/** Prints what ran when, as a Gantt chart. */
export const execTimeline = (
  id: string,
  options: TimelineOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> =>
  looking(options, terminal, machine, async (look) => {
    const { position } = await known(id, look);
    const { svg, width, rows, iterations, json } = options;
    const bars = timeline({ runs: rows, iterations });
    let [told, drawn] = [summary.initial, bars.initial];
    for await (const events of logPages(id, look.folder, position)) {
      for (const event of events) {
        told = summary.fold(told, event);
        drawn = bars.fold(drawn, event);
      }
    }
    const [about, spans] = [summary.view(told), bars.view(drawn)];
    if (json) {
      terminal.print(timelineJson(about, spans));
      return EXIT.ok;
    }
    const now = terminal.now();
    const listed = timelineRows(spans, rows);
    if (svg === undefined) {
      const columns = width ?? terminal.columns;
      terminal.print(timelineText(about, listed, { columns, color: terminal.color, now }));
      return EXIT.ok;
    }
    const text = timelineSvg(about, listed, { width: width ?? SVG_WIDTH, now });
    if (svg === '-') terminal.print(text);
    else await written(svg, text, terminal);
    return EXIT.ok;
  });

async function written(file: string, text: string, terminal: Terminal): Promise<void> {
  try {
    await terminal.write(file, text, { replace: true });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(EXIT.usage, `error: cannot write ${file}: ${why}`, { cause: error });
  }
}
