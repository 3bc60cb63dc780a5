import {
  type ExecutionEvent,
  type ManifestSource,
  type ResultManifest,
  type ResultReference,
  TAG,
  type Tagged,
  tagKey,
} from '@noetl/engine';
import type { EventLog } from '../../ports/event-log.ts';
import { followChain, type Inspection } from '../../ports/inspection.ts';
import type { ResultStore } from '../../ports/result-store.ts';
import { StoreError } from '../../ports/store-error.ts';
import type { Difference } from './difference.ts';
import { tagsIn } from './tags-in.ts';

export interface ReferencePorts {
  readonly log: EventLog;
  readonly results: ResultStore;
  readonly inspection: Inspection;
}

/** Looks at everything that the events of an execution name beside their log, and counts it. */
export interface ReferenceCheck {
  /** The first difference in what the event names, and in what that names. */
  check(event: ExecutionEvent): Promise<Difference | undefined>;
  readonly counts: { readonly results: number; readonly bytes: number };
}

/** What was looked at lately is not looked at again: the same list, or the result of a loop, is named again soon. */
const REMEMBERED = 20_000;

/** How many iterations of another execution are read at a time. */
const PAGE = 1_000;

export function createReferenceCheck(execution: string, { log, results, inspection }: ReferencePorts): ReferenceCheck {
  const counts = { results: 0, bytes: 0 };
  let seen = new Set<string>();
  /** Executions whose chain was followed. */
  const followed = new Set<string>([execution]);

  function isNew(key: string): boolean {
    if (seen.has(key)) return false;
    if (seen.size >= REMEMBERED) seen = new Set();
    seen.add(key);
    return true;
  }

  async function checkAll(tags: Iterable<Tagged>, seq: number): Promise<Difference | undefined> {
    for (const tagged of tags) {
      if (!isNew(tagKey(tagged))) continue;
      const difference =
        tagged[TAG] === 'manifest'
          ? await checkManifest(tagged as ResultManifest, seq)
          : await checkResult(tagged as ResultReference, seq);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }

  async function checkResult(reference: ResultReference, seq: number): Promise<Difference | undefined> {
    const { store, checksum, size } = reference;
    const named = store === results.name ? results : results.named?.(store);
    if (named === undefined || 'problem' in named) {
      const why = named === undefined ? 'which this data folder does not have' : `and ${named.problem}`;
      const message = `event ${seq} names a result in the store '${store}', ${why}`;
      return { what: 'result.unknown', seq, expected: `store ${results.name}`, found: `store ${store}`, message };
    }
    const inspected = await results.inspect(reference).catch((error: unknown) => {
      if (error instanceof StoreError) return error;
      throw error;
    });
    if (inspected instanceof StoreError) {
      const [expected, found] = ['a result that can be read', inspected.code];
      const message = `the result that event ${seq} names cannot be read: ${inspected.message}`;
      return { what: 'store', seq, expected, found, message };
    }
    if (inspected.kind === 'intact') {
      counts.results += 1;
      counts.bytes += size;
      return checkAll(inspected.tags, seq);
    }
    const { place } = inspected;
    if (inspected.kind === 'missing') {
      const message = `the result that event ${seq} names is missing`;
      return {
        what: 'result.missing',
        seq,
        place,
        expected: `${size} bytes with ${checksum}`,
        found: store === 'file' ? 'no such file' : 'nothing',
        message,
      };
    }
    const { what, expected, found } = inspected;
    const message = `the result that event ${seq} names is not what was stored`;
    return { what: `result.${what}`, seq, place, expected, found, message };
  }

  async function checkManifest(manifest: ResultManifest, seq: number): Promise<Difference | undefined> {
    let found = 0;
    for (const source of manifest.sources) {
      found += await inspection.sourceSize(source);
      const difference = await checkOrigin(source, seq);
      if (difference !== undefined) return difference;
    }
    const { ok, failed } = manifest;
    if (found === ok + failed) return undefined;
    return {
      what: 'manifest',
      seq,
      place: manifest.sources.map(({ loop }) => loop).join(', '),
      expected: `${ok + failed} iterations that ended`,
      found: `${found} in the index of iterations`,
      message: `the list that event ${seq} names lacks iterations`,
    };
  }

  /** ENG-15: iterations of a fork may be in the log that it was forked from. */
  async function checkOrigin(source: ManifestSource, seq: number): Promise<Difference | undefined> {
    const { execution_id: origin } = source;
    if (origin === execution) return undefined;
    if (!followed.has(origin)) {
      followed.add(origin);
      const end = await followChain(inspection, origin);
      if ('what' in end) {
        const { position, expected, found } = end;
        const message = `event ${seq} names iterations of the execution ${origin}, whose log is broken at event ${position}`;
        return { what: 'manifest', seq, place: `${origin} event ${position}`, expected, found, message };
      }
    }
    for (let from = 0; ; ) {
      const page = await log.iterations(source, from, PAGE);
      for (const event of page) {
        const difference = await checkAll(tagsIn(event.payload as never), seq);
        if (difference !== undefined) return difference;
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return undefined;
      from = ('index' in last.payload ? last.payload.index : 0) + 1;
    }
  }

  return { counts, check: (event) => checkAll(tagsIn(event.payload as never), event.seq) };
}
