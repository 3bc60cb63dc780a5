import { hash } from 'node:crypto';
import { createSimulation } from './simulate.testing.ts';
import { createSometimes, type RareSituation } from './sometimes.testing.ts';
import { randomStory, remoteStory, type Story } from './story.testing.ts';

/** Stories that are told one after the other, by their seeds. */
export interface Batch {
  readonly first: number;
  readonly stories: number;
  /** From one seed to the next; 1 if it is not said. */
  readonly step?: number;
  /** Whether they are told with a server and workers in other processes. */
  readonly remote?: boolean;
}

/** The story of a seed. */
export const storyOf = (seed: number, { remote = false }: Pick<Batch, 'remote'>): Story =>
  remote ? remoteStory(seed) : randomStory(seed);

/** What became of them. */
export interface BatchReport extends Batch {
  readonly crashes: number;
  /** How often each situation was met. */
  readonly counts: readonly (readonly [RareSituation, number])[];
  /** Of everything that was written. */
  readonly fingerprint: string;
  /** The first that went wrong. Those behind it were not told. */
  readonly wrong: { readonly seed: number; readonly message: string } | undefined;
}

const simulate = createSimulation();

export async function tellBatch({ first, stories, step = 1, remote = false }: Batch): Promise<BatchReport> {
  const sometimes = createSometimes();
  const fingerprints: string[] = [];
  let crashes = 0;
  let wrong: BatchReport['wrong'];
  // Errors are made by the thousand here, and nobody reads where.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    for (let nth = 0; nth < stories && wrong === undefined; nth++) {
      const seed = first + nth * step;
      const { ending, violation } = await simulate(storyOf(seed, { remote }), sometimes);
      fingerprints.push(ending.fingerprint);
      crashes += ending.crashes;
      if (violation !== undefined) wrong = { seed, message: violation.message };
      await breath();
    }
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  const told = { first, stories: fingerprints.length, crashes, counts: [...sometimes.counts] };
  return { ...told, fingerprint: hash('sha256', fingerprints.join('\n'), 'hex'), wrong };
}

/** A story leaves the event loop no time; who listens for messages gets some between two. */
const breath = (): Promise<void> => new Promise((wake) => setImmediate(wake));
