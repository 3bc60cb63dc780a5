import type { Journal } from '../journal.ts';
import { expressionOf, templateOf } from '../names/condition.ts';
import { entry, map, scalar } from '../tree/build.ts';
import { entryOf, fieldOf, rekeyed, textOf, withEntry, without } from '../tree/edit.ts';
import type { EntryTree, MapTree } from '../tree/tree.ts';
import { freeLabel, newTask, type PipelineTask } from './pipeline.ts';
import { withArgs } from './task-rule.ts';

/** Python whose source lay elsewhere: a task before it gets the source. */
export function withScriptTasks(tasks: readonly PipelineTask[], journal: Journal): readonly PipelineTask[] {
  return tasks.flatMap((task) => {
    const { body } = task;
    const script = entryOf(body, 'script');
    const source = script?.value.kind === 'map' ? fieldOf(script.value, 'source') : undefined;
    if (script?.value.kind !== 'map' || source?.kind !== 'map' || textOf(fieldOf(body, 'kind')) !== 'python')
      return [task];
    const got = SOURCES[textOf(fieldOf(source, 'type')) ?? '']?.(script.value, source, script.at);
    if (got === undefined) return [task];
    const label = freeLabel('script', tasks);
    journal.note('tool-script', script.at, `'script' becomes a task '${label}' that gets it, and one that runs it`, {
      review: true,
    });
    return [newTask(label, got.fetch, script.at), { ...task, body: got.run(without(body, 'script')) }];
  });
}

interface Fetched {
  /** The task that gets the source. */
  readonly fetch: MapTree;
  /** The task that runs it. */
  readonly run: (task: MapTree) => MapTree;
}

type Source = (script: MapTree, source: MapTree, at: number) => Fetched | undefined;

const SOURCES: Readonly<Record<string, Source>> = {
  http: (script, source, at) => {
    const address = entryOf(source, 'endpoint') ?? entryOf(source, 'url') ?? entryOf(script, 'uri');
    if (address === undefined) return undefined;
    const kept = ['method', 'headers', 'auth', 'params'].flatMap((key) => entryOf(source, key) ?? []);
    const timeout = entryOf(source, 'timeout');
    const spec = timeout === undefined ? [] : [entry('spec', map(timeout), timeout.at)];
    return {
      fetch: map(
        entry('kind', 'http', at),
        rekeyed(address, 'url'),
        ...kept,
        entry('response_type', 'text', at),
        ...spec,
      ),
      run: (task) => {
        const given = entry('args', map(entry('source', '{{ _prev.data }}', at)), at);
        return withEntry(withArgs(task, given) ?? task, entry('code', 'exec(source, globals())', at));
      },
    };
  },
  gcs: (script, source, at) => {
    const uri = entryOf(script, 'uri');
    const place = uri === undefined ? undefined : placeOf(uri);
    if (place === undefined) return undefined;
    const auth = entryOf(source, 'auth');
    return {
      fetch: map(
        entry('kind', 'gcs', at),
        ...(auth === undefined ? [] : [auth]),
        entry('operation', 'download', at),
        entry('bucket', place.bucket, at),
        entry('object', place.object, at),
        entry('destination', place.file, at),
      ),
      run: (task) => withEntry(task, entry('file', scalar(place.file), at), { after: 'kind' }),
    };
  },
};

/** `gs://bucket/path/to/file`, or a template that gives it. */
function placeOf(uri: EntryTree): { bucket: string; object: string; file: string } | undefined {
  const text = textOf(uri.value);
  const literal = /^gs:\/\/([^/{}]+)\/([^{}]+)$/.exec(text ?? '');
  if (literal !== null)
    return { bucket: literal[1] ?? '', object: literal[2] ?? '', file: (literal[2] ?? '').split('/').at(-1) ?? '' };
  const expression = text === undefined ? undefined : expressionOf(text);
  if (expression === undefined) return undefined;
  return {
    bucket: templateOf(`(${expression}).split('/')[2]`),
    object: templateOf(`(${expression}).split('/')[3:] | join('/')`),
    file: 'script.py',
  };
}
