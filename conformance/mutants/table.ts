/** A small wrong edit of the core: its first occurrence of `from` becomes `to`. The tests must notice. */
export interface Mutant {
  readonly breaks: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const execution = (file: string) => `packages/engine/src/execution/${file}.ts`;
const pipeline = (file: string) => `packages/engine/src/pipeline/${file}.ts`;

export const MUTANTS: readonly Mutant[] = [
  {
    breaks: 'exclusive takes the first match (ENG-4)',
    file: execution('routing'),
    from: "(verdict === 'matched' && router.mode === 'exclusive')",
    to: 'false',
  },
  {
    breaks: 'arc args win over those of the token (ENG-4)',
    file: execution('routing'),
    from: '{ ...parts.args, ...args.value }',
    to: '{ ...args.value, ...parts.args }',
  },
  {
    breaks: 'after a failure only arcs that read event are considered (ENG-5)',
    file: execution('routing'),
    from: "onFailure === 'all' ||",
    to: 'true ||',
  },
  {
    breaks: 'a failure that no arc took ends the execution (ENG-5)',
    file: execution('routing'),
    from: "boundary.name === 'step.failed' && !arcs.some",
    to: 'false && !arcs.some',
  },
  {
    breaks: 'arcs of a run that ends while the execution drains are not evaluated (ENG-5)',
    file: execution('evolve'),
    from: 'state.failure === undefined ?',
    to: 'true ?',
  },
  {
    breaks: 'the first admission rule that matches decides (ENG-3)',
    file: execution('admission'),
    from: "if ('value' in held && !held.value) continue;",
    to: "if ('value' in held && held.value) continue;",
  },
  {
    breaks: 'args of a join merge in the order of the YAML (ENG-6)',
    file: execution('admission'),
    from: 'place(a) - place(b) || a.id - b.id',
    to: 'a.id - b.id',
  },
  {
    breaks: 'a join waits while somebody can still reach it (ENG-6)',
    file: execution('join'),
    from: 'step !== join.name && upstream?.has(step)',
    to: 'false',
  },
  {
    breaks: 'a join takes its tokens, and fires once (ENG-6)',
    file: execution('evolve'),
    from: 'const scheduled = withoutTokens(newStepRun(stepRun, state), step, tokens);',
    to: 'const scheduled = withoutTokens(newStepRun(stepRun, state), step, tokens.slice(0, 1));',
  },
  {
    breaks: 'a join of n fires with n tokens (ENG-6)',
    file: execution('join'),
    from: 'tokens.size >= step.join',
    to: 'tokens.size > step.join',
  },
  {
    breaks: 'the first all of mutually waiting joins fires (ENG-6)',
    file: execution('join'),
    from: "joins.find(({ step }) => step.join === 'all') ?? joins[0]",
    to: "joins.findLast(({ step }) => step.join === 'all') ?? joins[0]",
  },
  {
    breaks: 'a window is never exceeded (ENG-8)',
    file: execution('loop'),
    from: 'plan.maxInFlight - (inFlight.size - freed)',
    to: 'plan.maxInFlight + 1 - (inFlight.size - freed)',
  },
  {
    breaks: 'after a failed iteration no new one starts (ENG-8)',
    file: execution('loop'),
    from: "const failFast = loop.plan.failure === 'fail_fast';",
    to: "const failFast = loop.plan.failure !== 'fail_fast';",
  },
  {
    breaks: 'results are ordered by index (ENG-8)',
    file: execution('evolve-loop'),
    from: 'results: setInt(loop.results, index, result)',
    to: 'results: setInt(loop.results, loop.results.size, result)',
  },
  {
    breaks: 'writes of parallel iterations are held until the loop ends (ENG-9)',
    file: execution('evolve-loop'),
    from: "around.plan?.mode !== 'parallel'",
    to: 'true',
  },
  {
    breaks: 'two different values are a conflict (ENG-9)',
    file: execution('evolve-loop'),
    from: 'comparable ? { ...before, conflict: true }',
    to: 'comparable ? before',
  },
  {
    breaks: 'contributions fold in the order of indexes (ENG-9)',
    file: execution('evolve-loop'),
    from: 'if (ended >= frontier) break;',
    to: 'if (ended < 0) break;',
  },
  {
    breaks: 'a pipeline reads ctx as of its scheduling (ENG-9)',
    file: execution('assignment'),
    from: 'ctx: pipeline.ctx,',
    to: 'ctx: state.ctx,',
  },
  {
    breaks: 'a report delivered twice changes nothing (EVT-3)',
    file: execution('report'),
    from: 'visitsOf(state, label) === visit && state.attempt === attempt',
    to: 'true',
  },
  {
    breaks: 'a report of an earlier task is refused (EVT-3)',
    file: execution('report'),
    from: 'state.label === label &&',
    to: '',
  },
  {
    breaks: 'attempts count per visit: a jump starts anew (ENG-10)',
    file: pipeline('checkpoint'),
    from: '    attempt: entered !== undefined ? 1 : next',
    to: '    attempt: next',
  },
  {
    breaks: 'an error leaves _prev (ENG-10)',
    file: pipeline('checkpoint'),
    from: "directive.do === 'retry' || directive.do === 'skip'",
    to: 'false',
  },
  {
    breaks: 'attempts: N are N tries in all (ENG-10)',
    file: pipeline('advance'),
    from: 'state.attempt >= then.attempts',
    to: 'state.attempt > then.attempts',
  },
  {
    breaks: 'exponential backoff doubles from the first delay on (ENG-10)',
    file: pipeline('backoff'),
    from: '2 ** (attempt - 1)',
    to: '2 ** attempt',
  },
  {
    breaks: 'only a first match that is skip keeps the body from running (ENG-11)',
    file: pipeline('choose-rule'),
    from: "return rule.then.do === 'skip' ?",
    to: "if (rule.then.do === 'skip') return",
  },
  {
    breaks: 'nothing is leased while paused (ENG-14)',
    file: execution('assignment'),
    from: 'state.paused ? undefined :',
    to: 'false ? undefined :',
  },
  {
    breaks: 'nothing is scheduled while paused (ENG-14)',
    file: execution('settle'),
    from: '!state.paused && state.failure === undefined && placeTokens(draft)',
    to: 'state.failure === undefined && placeTokens(draft)',
  },
  {
    breaks: 'a signal is taken by one wait (EVT-2)',
    file: execution('evolve'),
    from: 'seq !== signal',
    to: 'true',
  },
  {
    breaks: 'the execution is over only when no work is left (ENG-7)',
    file: execution('finish'),
    from: 'runs.size === 0 && owed.length === 0',
    to: 'owed.length === 0',
  },
  {
    breaks: 'the result is that of the last branch that ended with one (ENG-16)',
    file: execution('evolve'),
    from: 'sent.length > 0 || result === null ?',
    to: 'result === null ?',
  },
  {
    breaks: 'an edit of ctx in a fork is written inside of what is there (ENG-15)',
    file: execution('fork'),
    from: 'const ctx = merged(draft, state.ctx, edits.ctx ?? {}) as JsonMap;',
    to: 'const ctx: JsonMap = { ...state.ctx, ...edits.ctx };',
  },
  {
    breaks: 'ctx does not grow beyond its limit by an edit of a fork (ENG-13)',
    file: execution('fork'),
    from: 'ctxSize > limits.ctx',
    to: 'ctxSize < 0',
  },
  {
    breaks: 'a fork gives running work to new workers (ENG-15)',
    file: execution('fork'),
    from: "phase: body.phase === 'running' ? 'ready' : body.phase,",
    to: "phase: 'waiting',",
  },
  {
    breaks: 'an append that was decided on another one falls with it',
    file: 'packages/noetl/src/server/live-execution.ts',
    from: 'newest === undefined ? {} : { after: newest }',
    to: '{}',
  },
  {
    breaks: 'timers that became due in a pause fire when it is over (ENG-14)',
    file: execution('control'),
    from: '  overdueWaits(draft);',
    to: '',
  },
  {
    breaks: 'what a server did not hear while it stood still is not held against workers',
    file: 'packages/noetl/src/server/remote-leases.ts',
    from: 'remote.until += late;',
    to: 'remote.until += 0;',
  },
  {
    breaks: 'work is offered in its pool',
    file: 'packages/noetl/src/server/executions.ts',
    from: `if (closed || plan === undefined) return;
    queue.add({ execution, work, step, pool: plan.steps`,
    to: `if (closed) return;
    queue.add({ execution, work, step, pool: plan?.steps`,
  },
  {
    breaks: 'an execution looks at its log after a report that did not count',
    file: 'packages/noetl/src/server/live-execution.ts',
    from: 'if (waiting.length === 0) waiting.push(continuation(fenced[0]?.entry.input.at ?? 0));',
    to: '',
  },
];
