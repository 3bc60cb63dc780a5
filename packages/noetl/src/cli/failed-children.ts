import type { Json } from '@noetl/playbook';
import type { DataFolder } from './data-folder.ts';
import type { Machine } from './machine.ts';
import { authoredText, sourceOfExecution } from './sourced-plan.ts';
import { createEndingFold } from './views/ending-fold.ts';
import type { FailedChild } from './views/explanation.ts';
import type { FailureReport } from './views/failures.ts';
import { placesOf } from './views/places.ts';

/** How many events are read at a time. */
const PAGE = 1_000;

/** The children in which a failure began, as the error that came up through them names them: the outermost first. */
export async function failedChildren(
  id: string,
  { ending }: FailureReport,
  data: DataFolder,
  machine: Machine,
): Promise<readonly FailedChild[]> {
  const children: FailedChild[] = [];
  let parent = id;
  for (let named = namedIn(ending?.error.details); named !== undefined; named = namedIn(named.rest)) {
    const { execution_id, path } = named;
    // What a tool says about its errors may look alike.
    if ((await data.store.executions.get(execution_id))?.parent !== parent) break;
    const source = await sourceOfExecution(execution_id, data, machine).catch(() => undefined);
    const places = source === undefined ? undefined : placesOf(source.plan.playbook, path);
    const { failures } = await endingOf(execution_id, data);
    children.push({
      execution: execution_id,
      path,
      failure: failures.ending,
      places,
      source: source && authoredText(source),
    });
    parent = execution_id;
  }
  return children;
}

interface Named {
  readonly execution_id: string;
  readonly path: string;
  readonly rest: Json;
}

function namedIn(details: Json | undefined): Named | undefined {
  const child = isMap(details) ? details.child : undefined;
  if (!isMap(child)) return undefined;
  const { execution_id, path } = child;
  return typeof execution_id === 'string' && typeof path === 'string' ? { execution_id, path, rest: child } : undefined;
}

const isMap = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

async function endingOf(id: string, { store }: DataFolder) {
  const fold = createEndingFold();
  for (let after = 0; ; ) {
    const events = await store.log.read(id, after, PAGE);
    fold.take(events);
    const last = events.at(-1);
    if (last === undefined) return fold.read();
    after = last.seq;
  }
}
