import type { Json, JsonMap } from '@noetl/playbook';
import { type IntMap, intEntries, intMapOf } from '../int-map.ts';
import { isMap } from '../is-map.ts';
import type { Body, Loop } from './body.ts';
import { unopenedLoop } from './evolve-loop.ts';
import { readyPipeline } from './evolve-work.ts';
import { type ExecutionState, initialState, type StepRun, type Token } from './state.ts';

/**
 * The form of snapshots. It is raised when state is made of other parts, or when an event is folded otherwise: snapshots
 * of another form are not used.
 */
export const SNAPSHOT_FORMAT = 3;

/**
 * State as JSON and back. A snapshot is a cache: deleting it only costs the time to fold the log again. Pipelines share
 * the ctx and the results they were scheduled with; each is written once, and shared again when it is read.
 */
export const encodeState = (state: ExecutionState): Json => JSON.parse(encodedText(state));

/** The same as text. It is made in one go: whoever keeps a state does so while an execution runs. */
export function encodedText(state: ExecutionState): string {
  const shared: JsonMap[] = [];
  const known = new Map<JsonMap, number>();
  const share = (map: JsonMap): number => {
    const place = known.get(map) ?? shared.push(map) - 1;
    known.set(map, place);
    return place;
  };
  const encodeBody = (body: Body): unknown => {
    if (body.kind === 'pipeline') return { ...body, ctx: share(body.ctx), results: share(body.results) };
    if (body.kind === 'none') return body;
    const { inFlight, failed, results, early } = body;
    return {
      ...body,
      inFlight: pairs(inFlight, encodeBody),
      failed: pairs(failed),
      results: results === undefined ? undefined : pairs(results),
      early: pairs(early),
    };
  };
  const runs = pairs(state.runs, (run) => ({ ...run, body: encodeBody(run.body) }));
  const tokens = Object.fromEntries(Object.entries(state.tokens).map(([step, there]) => [step, pairs(there)]));
  return JSON.stringify({ ...state, ctx: share(state.ctx), results: share(state.results), tokens, runs, shared });
}

/** Whether it is a state as `encodeState` writes it, and not what stands for one. */
export const isSnapshot = (value: Json): boolean =>
  isMap(value) && Array.isArray(value.shared) && Array.isArray(value.runs) && isMap(value.tokens ?? null);

/**
 * Every object gets its keys in the order in which the engine makes it, also those that JSON left out: what is folded on
 * from here is written with the same bytes as what never was a snapshot.
 */
export function decodeState(snapshot: Json): ExecutionState {
  const { shared, ...stored } = snapshot as unknown as Snapshot;
  const map = (place: number): JsonMap => shared[place] ?? {};
  const decodeBody = (body: StoredBody): Body => {
    if (body.kind === 'pipeline') {
      return { ...readyPipeline('', {}, {}), ...body, ctx: map(body.ctx), results: map(body.results) };
    }
    if (body.kind === 'none') return body;
    return {
      ...unopenedLoop,
      ...body,
      inFlight: intMapOf(body.inFlight.map(([index, inner]) => [index, decodeBody(inner)])),
      failed: intMapOf(body.failed),
      results: body.results === undefined ? undefined : intMapOf(body.results),
      early: intMapOf(body.early),
    };
  };
  return {
    ...initialState,
    ...stored,
    request: { ...initialState.request, ...stored.request },
    ctx: map(stored.ctx),
    results: map(stored.results),
    tokens: Object.fromEntries(Object.entries(stored.tokens).map(([step, there]) => [step, intMapOf(there)])),
    runs: intMapOf(
      stored.runs.map(([run, stepRun]) => [run, { ...NO_RUN, ...stepRun, body: decodeBody(stepRun.body) }]),
    ),
  };
}

const NO_RUN: Partial<StepRun> = {
  run: 0,
  step: '',
  args: null,
  scheduled: 0,
  deadline: undefined,
};

type Pairs<V> = readonly (readonly [number, V])[];

type StoredBody =
  | { readonly kind: 'none' }
  | (Omit<Extract<Body, { kind: 'pipeline' }>, 'ctx' | 'results'> & { readonly ctx: number; readonly results: number })
  | (Omit<Loop, 'inFlight' | 'failed' | 'results' | 'early'> & {
      readonly inFlight: Pairs<StoredBody>;
      readonly failed: Pairs<number>;
      readonly results?: Pairs<Json>;
      readonly early: Pairs<Loop['shared']>;
    });

interface Snapshot extends Omit<ExecutionState, 'ctx' | 'results' | 'tokens' | 'runs'> {
  readonly shared: readonly JsonMap[];
  readonly ctx: number;
  readonly results: number;
  readonly tokens: Readonly<Record<string, Pairs<Token>>>;
  readonly runs: Pairs<Omit<StepRun, 'body'> & { readonly body: StoredBody }>;
}

const pairs = <V>(map: IntMap<V>, encode: (value: V) => unknown = (value) => value): readonly unknown[] =>
  [...intEntries(map)].map(([key, value]) => [key, encode(value)]);
