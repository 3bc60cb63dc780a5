import { appendFork, decideFork, type ForkRequest } from '../../../server/forks.ts';
import { awaitedAnswers } from '../../awaited-answers.ts';
import { type DataFolder, dataFolderPath, openDataFolder } from '../../data-folder.ts';
import { dataOption } from '../../data-option.ts';
import { driveToEnd } from '../../drive-to-end.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import { runningPlace } from '../../place.ts';
import { displayName } from '../../playbook-file.ts';
import { forkBody } from '../../remote-driver.ts';
import { readPayload, withSettings } from '../../run-payload.ts';
import { keepSource, nameOfSource } from '../../sourced-plan.ts';
import { systemClock } from '../../system-clock.ts';
import type { Terminal } from '../../terminal.ts';
import { demandDone, type ForkPlan, planFork } from './fork-plan.ts';
import { looking } from './looking.ts';
import { statePorts } from './stored-state.ts';

export interface ForkOptions {
  /** The event to go on from. */
  readonly at: number | 'failure';
  readonly set: readonly string[];
  readonly payload: string | undefined;
  readonly ctx: readonly string[];
  /** Another playbook: a file, `-`, or one of the catalog. */
  readonly playbook: string | undefined;
  readonly run: boolean;
  readonly data: string | undefined;
  readonly slots: number;
  /** The version of this program. */
  readonly version: string;
  readonly output: 'progress' | 'json' | 'quiet';
}

/** ENG-15: a new execution from an event of another, whoever drives that, driven to its end or only written. */
export async function execFork(
  id: string,
  options: ForkOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> {
  const { at, playbook, output, data, slots } = options;
  const workload = await readPayload(options.payload, options.set, terminal);
  const ctx = withSettings({}, '--ctx', options.ctx);
  const tell = (text: string): void => {
    if (output === 'progress') terminal.complain(`${text}\n`);
  };
  const planned = await looking({ data, json: false }, terminal, machine, (look) =>
    planFork(id, { at, playbook, workload, ctx }, look, tell),
  );
  const folder =
    (await runningPlace(data, machine)) ??
    (await openDataFolder(dataFolderPath(data, machine), systemClock, options.run ? 'run' : 'change', machine));
  const { source, request } = await keptFork(planned, folder, terminal).catch(async (error) => {
    await folder.close();
    throw error;
  });
  if (!options.run) {
    await writtenFork({ source, request }, folder).finally(() => folder.close());
    terminal.print(writtenText(request, options));
    return EXIT.ok;
  }
  const drive = {
    id: request.execution_id,
    source,
    file: playbook === undefined ? nameOfSource(source) : displayName(playbook),
    data: folder,
    dataGiven: data,
    slots,
    version: options.version,
    legacy: false,
    output,
    exists: false,
  };
  return driveToEnd(
    {
      ...drive,
      begin: async (driver) => {
        demandDone(await driver.fork(source, request));
        if (output !== 'progress') return;
        for (const line of await awaitedAnswers(drive.id, [], folder, data)) tell(line);
      },
    },
    terminal,
    machine,
  );
}

/** The playbook is registered, so that the fork can go on from anywhere; an old one is, and keeps its version. */
export async function keptFork(
  { source, request }: ForkPlan,
  folder: DataFolder,
  terminal: Pick<Terminal, 'now'>,
): Promise<ForkPlan> {
  if (source.version !== null) return { source, request };
  const { version } = await keepSource(source, folder, terminal.now());
  return { source: { ...source, version }, request: { ...request, version } };
}

export async function writtenFork({ source, request }: ForkPlan, folder: DataFolder): Promise<void> {
  const { remote } = folder;
  if (remote !== undefined) {
    await remote.executions.fork(request.origin.execution_id, { ...forkBody(source, request), run: false });
    return;
  }
  const ports = statePorts(folder);
  const made = await decideFork(source.plan, request, systemClock.now(), ports);
  demandDone(made.kind === 'refused' ? made : await appendFork(request.execution_id, made.events, ports));
}

function writtenText({ execution_id, origin }: ForkRequest, { output, data }: ForkOptions): string {
  const goOn = `noetl run --resume ${execution_id}${dataOption(data)}`;
  const from = { execution_id: origin.execution_id, seq: origin.state.seq };
  switch (output) {
    case 'json':
      return `${JSON.stringify({ execution_id, origin: from, go_on: goOn })}\n`;
    case 'quiet':
      return `${execution_id}\n`;
    case 'progress':
      return `execution ${execution_id}, forked from ${from.execution_id} at event ${from.seq}\nGo on with: ${goOn}\n`;
  }
}
