import { StoreError } from '../../../ports/store-error.ts';
import { type Difference, shown } from '../../../server/verify/difference.ts';
import { type Verification, verifyExecution } from '../../../server/verify/verify-execution.ts';
import { CommandFailure } from '../../command-failure.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import { createVerifyProgress, type VerifyProgress } from '../../progress/verify-progress.ts';
import { contentHashOf } from '../../sourced-plan.ts';
import type { Terminal } from '../../terminal.ts';
import { things } from '../../views/quantity.ts';
import { strayEvents, verificationJson, verificationOf, verificationText } from '../../views/verification.ts';
import { type ExecOptions, known, type Look, looking } from './looking.ts';

export interface VerifyOptions extends ExecOptions {
  readonly all: boolean;
}

/** Compares what is stored of executions with their logs. Nothing is changed, and nobody is disturbed. */
export async function execVerify(
  id: string | undefined,
  options: VerifyOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> {
  if ((id === undefined) !== options.all) {
    throw new CommandFailure(EXIT.usage, 'error: name an execution, or say --all. noetl exec list shows them.');
  }
  const verified = async (look: Look): Promise<ExitCode> => {
    const progress = createVerifyProgress(terminal);
    try {
      const intact = id === undefined ? await verifyAll(look, progress) : await verifyOne(id, look, progress);
      return intact ? EXIT.ok : EXIT.failed;
    } finally {
      progress.close();
    }
  };
  return looking(options, terminal, machine, verified, 'long look');
}

async function verifyOne(id: string, look: Look, progress: VerifyProgress): Promise<boolean> {
  const verification = await verify(id, look, progress);
  report(verification, look, progress);
  return verification.difference === undefined;
}

/** How many executions are listed at a time. */
const PAGE = 100;

async function verifyAll(look: Look, progress: VerifyProgress): Promise<boolean> {
  const { store } = look.folder;
  let [count, differing] = [0, 0];
  for (let before: number | undefined; ; ) {
    const page = await store.inspection.ids(before, PAGE);
    for (const { execution } of page) {
      count += 1;
      const there = await isThere(execution, look);
      if (there ? await verifyOne(execution, look, progress) : missing(execution, look, progress)) continue;
      differing += 1;
    }
    before = page.at(-1)?.number;
    if (page.length < PAGE) break;
  }
  const strays = await store.inspection.strays();
  if (strays > 0) report(strayEvents(strays), look, progress);
  if (!look.json) {
    progress.pause();
    look.terminal.print(
      `${things(count, 'execution')}, ${differing === 0 ? 'all intact' : `${differing} not intact`}\n`,
    );
  }
  return differing === 0 && strays === 0;
}

/** Whether the execution is found by its id; one whose row cannot be read is there. */
const isThere = async (id: string, { folder }: Look): Promise<boolean> =>
  folder.store.executions.get(id).then(
    (entry) => entry !== undefined,
    () => true,
  );

function missing(execution: string, look: Look, progress: VerifyProgress): false {
  const difference = {
    what: 'fact',
    place: 'executions.execution_id',
    expected: 'the id of the execution',
    found: shown(execution),
    message: 'the id of the execution was changed: nothing is found by it',
  } as const;
  report({ ...NOTHING_SEEN, execution, difference }, look, progress);
  return false;
}

const NOTHING_SEEN = { events: 0, hash: '', iterations: 0, snapshots: 0, results: 0, resultBytes: 0 } as const;

/** A store that cannot be read is a difference, too: the next execution may be readable. */
export async function verify(
  id: string,
  look: Pick<Look, 'folder'>,
  progress: Pick<VerifyProgress, 'begin' | 'seen'>,
): Promise<Verification> {
  const { store, results, remote } = look.folder;
  if (remote !== undefined) return verificationOf(await remote.executions.verify(id));
  let events = 0;
  try {
    const { position, contentHash } = await known(id, look);
    progress.begin(id, position);
    const verification = await verifyExecution(id, { ...store, results }, (seen) => {
      events = seen;
      progress.seen(seen);
    });
    const changed = verification.difference ?? (await changedPlaybook(contentHash, look));
    return changed === undefined ? verification : { ...verification, difference: changed };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const [expected, found] = ['a store that can be read', error.code];
    const difference = { what: 'store', expected, found, message: error.message } as const;
    return { ...NOTHING_SEEN, execution: id, events, difference };
  }
}

/** An execution pins the text of its playbook by its hash. */
async function changedPlaybook(contentHash: string, { folder }: Pick<Look, 'folder'>): Promise<Difference | undefined> {
  const entry = await folder.store.catalog.byHash(contentHash);
  const found = entry === undefined ? 'nothing' : contentHashOf(entry);
  if (found === contentHash) return undefined;
  const message =
    entry === undefined
      ? 'the playbook that it was started with is not in the catalog'
      : `the text of its playbook '${entry.path}' version ${entry.version} was changed in the catalog`;
  return { what: 'playbook', place: 'catalog', expected: `a text with the hash ${contentHash}`, found, message };
}

function report(verification: Verification, { terminal, json }: Look, progress: VerifyProgress): void {
  progress.pause();
  terminal.print(json ? verificationJson(verification) : verificationText(verification, terminal.color));
}
