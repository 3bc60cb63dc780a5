import { describe, expect, it } from 'vitest';
import { unopenedLoop } from './evolve-loop.ts';
import { readyPipeline } from './evolve-work.ts';
import { SNAPSHOT_FORMAT } from './snapshot.ts';
import { initialState } from './state.ts';

describe('the form of snapshots', () => {
  // Snapshots of one form are taken for states of this release: raise SNAPSHOT_FORMAT together with what is listed here.
  it('is this one; other parts of a state make another form', () => {
    expect({
      format: SNAPSHOT_FORMAT,
      state: Object.keys(initialState),
      request: Object.keys(initialState.request),
      stats: Object.keys(initialState.stats),
      pipeline: Object.keys(readyPipeline('task', {}, {})),
      place: Object.keys(readyPipeline('task', {}, {}).state),
      loop: Object.keys(unopenedLoop),
    }).toMatchInlineSnapshot(`
      {
        "format": 3,
        "loop": [
          "kind",
          "plan",
          "next",
          "inFlight",
          "ok",
          "failed",
          "failures",
          "results",
          "resultSize",
          "sources",
          "stopping",
          "pending",
          "overlay",
          "shared",
          "early",
        ],
        "pipeline": [
          "kind",
          "phase",
          "ctx",
          "results",
          "state",
          "started",
          "taskStarted",
          "waited",
          "wait",
          "resumed",
          "shared",
        ],
        "place": [
          "position",
          "label",
          "visits",
          "attempt",
          "jumps",
          "prev",
          "iter",
          "ctx",
        ],
        "request": [
          "execution_id",
          "path",
          "version",
          "content_hash",
          "depth",
          "parent_execution_id",
          "trace_id",
          "requested_at",
          "payload",
        ],
        "state": [
          "seq",
          "phase",
          "request",
          "workload",
          "ctx",
          "ctxSize",
          "results",
          "tokens",
          "tokenCount",
          "runs",
          "owed",
          "paused",
          "failure",
          "cancelled",
          "signals",
          "lastInput",
          "cancels",
          "listeners",
          "branchResult",
          "deadline",
          "outcome",
          "stats",
        ],
        "stats": [
          "step_runs",
          "skipped",
          "tasks",
          "retries",
          "iterations",
          "failures",
        ],
      }
    `);
  });
});
