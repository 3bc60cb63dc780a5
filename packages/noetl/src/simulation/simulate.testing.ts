import { createHash } from 'node:crypto';
import { DEFAULT_ENGINE_LIMITS, planOf } from '@noetl/engine';
import { type Json, type Playbook, readPlaybook } from '@noetl/playbook';
import type { SourcedPlan } from '../cli/sourced-plan.ts';
import { createMemoryResults } from '../results/memory.ts';
import { plainValue } from '../server/load-values.ts';
import { createMemoryEventLog } from '../stores/memory/event-log.ts';
import { createSometimes, type Sometimes } from './sometimes.testing.ts';
import { executionName, faultless, isCancelled, playbooksOf, type Story } from './story.testing.ts';
import { Violation } from './violation.testing.ts';
import { type Ending, happen } from './world.testing.ts';

/** What became of a story, and of the same without its faults. */
export interface Outcome {
  readonly ending: Ending;
  readonly violation: Violation | undefined;
  /** Whether it went wrong without any fault. */
  readonly faultless: boolean;
}

/** Lets a story happen with and without its faults, and compares how they end. */
export type Simulate = (story: Story, sometimes: Sometimes) => Promise<Outcome>;

/** A workflow, and how it ends where nothing goes wrong. */
interface Tale {
  /** Its playbooks, as text. */
  readonly text: string;
  readonly sources: readonly Source[];
  readonly ending: Ending;
}

type Source = Omit<SourcedPlan, 'plan'> & { readonly playbook: Playbook };

/** Remembers the latest workflow with its end: the next story is often about the same. */
export function createSimulation(): Simulate {
  let latest: Tale | undefined;
  return async (story, sometimes) => {
    const text = JSON.stringify(playbooksOf(story));
    const tale = latest?.text === text ? latest : await taleOf(text, story);
    latest = tale;
    const { ending: expected } = tale;
    if (expected.violation !== undefined) {
      return { ending: expected, violation: expected.violation, faultless: true };
    }
    const ending = await happen(story, plansOf(tale.sources, story), sometimes);
    const violation = ending.violation ?? (await difference(story, ending, expected));
    return { ending, violation, faultless: false };
  };
}

async function taleOf(text: string, story: Story): Promise<Tale> {
  const sources = playbooksOf(story).map(([path, playbook]) => sourceOf(JSON.stringify(playbook), path));
  const quiet = faultless(story);
  return { text, sources, ending: await happen(quiet, plansOf(sources, quiet), createSometimes()) };
}

function sourceOf(text: string, path: string): Source {
  const { playbook, diagnostics } = readPlaybook(text, { file: `${path}.yaml` });
  if (playbook === undefined) throw new Error(`${text}\n${JSON.stringify(diagnostics.slice(0, 3), undefined, 2)}`);
  const contentHash = createHash('sha256').update(text).digest('hex');
  return { playbook, text, folder: '/', path, version: null, contentHash };
}

function plansOf(sources: readonly Source[], { eventsPerDecision }: Story): ReadonlyMap<string, SourcedPlan> {
  const limits = { ...DEFAULT_ENGINE_LIMITS, eventsPerDecision, takeovers: 1_000_000 };
  return new Map(
    sources.map(({ playbook, ...source }) => [source.path, { ...source, plan: planOf(playbook, limits) }]),
  );
}

async function difference(story: Story, ending: Ending, expected: Ending): Promise<Violation | undefined> {
  const wanted = await endOf(expected, executionName(0));
  for (let index = 0; index < story.executions; index++) {
    const end = await endOf(ending, executionName(index));
    if (isCancelled(story, index) && end.status === 'cancelled') continue;
    const found = JSON.stringify(end.shown);
    if (found === JSON.stringify(wanted.shown)) {
      if (JSON.stringify(end.ctx) === JSON.stringify(wanted.ctx) || end.status !== 'success') continue;
      const text = `ctx is ${JSON.stringify(end.ctx)}, without faults ${JSON.stringify(wanted.ctx)}`;
      return new Violation('ctx does not depend on the order of arrival', text);
    }
    const text = `${executionName(index)} ends with ${found}, without faults with ${JSON.stringify(wanted.shown)}`;
    return new Violation('the result is that of the faultless run', text);
  }
  return undefined;
}

/** How an execution ended, as far as it does not depend on the order of what happened at the same time. */
async function endOf({ watch, results }: Ending, id: string) {
  const execution = watch.executions.get(id);
  const last = execution?.events.at(-1);
  if (execution === undefined || last?.name !== 'playbook.processed') throw new Error(`${id} is not over`);
  const { status, result, error } = last.payload;
  const sources = {
    log: createMemoryEventLog({ now: () => 0, at: () => () => undefined }),
    results: createMemoryResults(new Map(results)),
  };
  const loaded = status === 'success' ? await plainValue(result, sources) : { value: null };
  const { ctx } = execution.stateAt(last.seq);
  const kind: Json = error?.kind ?? null;
  const shown = { status, result: 'value' in loaded ? sorted(loaded.value) : loaded.problem, kind };
  return { status, shown, ctx: sorted(ctx) };
}

/** Which key was set first says nothing. */
function sorted(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).map(([key, inner]): [string, Json] => [key, sorted(inner)]);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
