import type { JsonMap } from './json.ts';
import type { LiteralData, MapData, Place, TemplateData, Templated } from './templated.ts';
import type { BACKOFFS, DIRECTIVES, REDUCERS } from './vocabulary.ts';

/**
 * The canonical playbook: the only form the engine sees. Every shorthand of the document is gone, every template is
 * compiled, every default that belongs to the language is filled in.
 */
export interface Playbook {
  readonly metadata: Metadata;
  readonly keychain: readonly KeychainEntry[];
  readonly executor: Executor;
  readonly workload: MapData | LiteralData;
  readonly workflow: readonly Step[];
  /** Reusable tasks by name. */
  readonly workbook: ReadonlyMap<string, Task>;
  /** The step that gets the first token. */
  readonly entryStep: string;
  /** The step whose result is the execution's, if one is named. */
  readonly resultStep: string | undefined;
}

export interface Metadata {
  readonly name: string;
  readonly path: string;
  readonly version: string | undefined;
  readonly description: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
}

export interface KeychainEntry {
  readonly name: string;
  readonly kind: string;
  readonly fields: Templated;
  readonly place: Place;
}

export interface Executor {
  readonly profile: 'local' | 'distributed';
  /** Seconds that an execution may take. */
  readonly executionTimeout: number | undefined;
  /** The step_timeout of steps that have none of their own. */
  readonly stepTimeout: number | undefined;
  /** The outermost layer of spec. */
  readonly spec: Layer;
}

/** One layer of spec, without what belongs to its scope alone. */
export type Layer = JsonMap;

/** A transition of the Petri net: admission, pipeline, router. */
export interface Step {
  readonly name: string;
  readonly desc: string | undefined;
  readonly place: Place;
  readonly spec: Layer;
  readonly admission: readonly AdmissionRule[];
  /** How many tokens fire one run. */
  readonly join: 'any' | 'all' | number;
  /** Seconds that one run may take, loops and retries included. */
  readonly timeout: number | undefined;
  /** The workers that may run it; undefined for the default pool. */
  readonly pool: string | undefined;
  readonly loop: Loop | undefined;
  /** Labelled tasks in order; empty for a step that only routes. */
  readonly tasks: readonly Task[];
  readonly router: Router | undefined;
}

/** Undefined `when` is the `else` rule. */
export interface AdmissionRule {
  readonly when: Condition | undefined;
  readonly allow: boolean;
  readonly place: Place;
}

export interface Loop {
  readonly in: Templated;
  readonly iterator: string;
  readonly mode: 'sequential' | 'parallel';
  readonly maxInFlight: number;
  readonly exec: 'local' | 'distributed';
  readonly failure: 'fail_fast' | 'best_effort';
  readonly spec: Layer;
  readonly inner: Loop | undefined;
  readonly place: Place;
}

export interface Task {
  readonly label: string;
  readonly kind: string;
  readonly desc: string | undefined;
  readonly auth: Templated | undefined;
  readonly args: Templated | undefined;
  /** The fields of the kind, as its schema names them. */
  readonly fields: Readonly<Record<string, Templated>>;
  readonly spec: Layer;
  readonly policy: Policy | undefined;
  readonly place: Place;
  /** Where its `code` stands, if it has some. */
  readonly codeAt?: CodePlace;
}

/** Where the first line of code stands. */
export interface CodePlace extends Place {
  /** Whether the lines that follow in the code are those that follow in the file, as after `code: |`. */
  readonly byLine: boolean;
}

export interface Policy {
  readonly rules: readonly Rule[];
}

type DirectiveName = (typeof DIRECTIVES)[number];
type Backoff = (typeof BACKOFFS)[number];
type Reducer = (typeof REDUCERS)[number];

/** Undefined `when` is the `else` rule. */
export interface Rule {
  readonly when: Condition | undefined;
  readonly then: Then;
  readonly place: Place;
}

export interface Then {
  readonly do: DirectiveName;
  readonly attempts: number;
  readonly backoff: Backoff;
  /** Seconds. */
  readonly delay: Templated;
  readonly maxDelay: number | undefined;
  readonly to: string | undefined;
  readonly setIter: Templated | undefined;
  readonly setCtx: Templated | undefined;
  readonly setShared: readonly SharedWrite[];
}

export interface SharedWrite {
  readonly key: string;
  readonly reduce: Reducer;
  readonly value: Templated;
}

/** DOC-15: a boolean, or a template that is exactly one `{{ … }}`. */
export type Condition = { readonly kind: 'constant'; readonly value: boolean; readonly place: Place } | TemplateData;

export interface Router {
  readonly mode: 'exclusive' | 'inclusive';
  /** ENG-5: `all` lets an arc without `when` take failures too. */
  readonly onFailure: 'event' | 'all';
  readonly arcs: readonly Arc[];
}

export interface Arc {
  readonly step: string;
  readonly when: Condition | undefined;
  readonly args: Templated | undefined;
  readonly place: Place;
}
