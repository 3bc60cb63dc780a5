import type { Mutant } from './table.ts';

const server = (file: string) => `packages/noetl/src/server/${file}.ts`;
const worker = (file: string) => `packages/noetl/src/worker/${file}.ts`;
const cli = (file: string) => `packages/noetl/src/cli/${file}.ts`;
const execution = (file: string) => `packages/engine/src/execution/${file}.ts`;
const memory = (file: string) => `packages/noetl/src/stores/memory/${file}.ts`;

/** Broken shells, and a core that breaks only where something goes wrong: the simulation must notice. */
export const SIMULATION_MUTANTS: readonly Mutant[] = [
  {
    breaks: 'what was appended with an unknown outcome is told',
    file: server('live-execution'),
    from: '      durable = after;\n      committed(events, after);',
    to: '      durable = after;',
  },
  {
    breaks: 'what an execution owes itself is asked for again',
    file: server('live-execution'),
    from: 'owes = true;\n    owing();',
    to: 'owes = true;',
  },
  {
    breaks: 'nothing is told before it is durable',
    file: server('live-execution'),
    from: "refusal: undefined, outcome: 'under way' };",
    to: "refusal: undefined, outcome: 'appended' };",
  },
  {
    breaks: 'inputs whose append was refused are decided again',
    file: server('live-execution'),
    from: 'discard([...again, ...(deciding === undefined ? [] : [deciding])]);',
    to: 'discard([]);',
  },
  {
    breaks: 'a failed append makes the log be read again',
    file: server('live-execution'),
    from: 'stale = true;',
    to: 'stale = false;',
  },
  {
    breaks: 'work that became ready while it was leased is leased again',
    file: server('held-leases'),
    from: 'return lease.missed;',
    to: 'return false;',
  },
  {
    breaks: 'a piece of work has one lease',
    file: server('held-leases'),
    from: 'if (taken !== undefined) {',
    to: 'if (taken !== undefined && taken.missed) {',
  },
  {
    breaks: 'work stops when its execution or its step is over',
    file: server('executions'),
    from: "if (effect.run === 'all' || lease.assignment.work.run === effect.run) leases.end(lease);",
    to: "if (effect.run !== 'all' && lease.assignment.work.run === effect.run) leases.end(lease);",
  },
  {
    breaks: 'an execution of the log goes on with what it waits for',
    file: server('executions'),
    from: 'for (const effect of pendingEffects(execution.decided())) apply(execution, effect);',
    to: '',
  },
  {
    breaks: 'an execution of the log goes on with what it owes',
    file: server('executions'),
    from: "await execution.submit({ kind: 'continue', at: clock.now() });",
    to: '',
  },
  {
    breaks: 'a child that the log knows is not started again',
    file: server('called-executions'),
    from: "answer.code === 'NOETL_EXECUTION_EXISTS' ? 'exists' :",
    to: '',
  },
  {
    breaks: 'credentials are resolved again when an execution is resumed (SEC-1)',
    file: server('executions'),
    from: '    await credentialsIn(id, plan, state);',
    to: '',
  },
  {
    breaks: 'a driver that was taken for dead writes nothing',
    file: cli('fenced-log'),
    from: '({ ...append, driver, takes',
    to: '({ ...append, takes',
  },
  {
    breaks: 'the log refuses a driver that was taken for dead',
    file: memory('event-log'),
    from: "if (driver !== undefined && !isKnown(driver)) return { kind: 'lost' };",
    to: '',
  },
  {
    breaks: 'a control is kept until its execution is open',
    file: cli('local-driver'),
    from: 'const { drives, submit } = runtime.executions;',
    to: 'const { submit } = runtime.executions;\n    const drives = () => true;',
  },
  {
    breaks: 'a control is deleted when what it led to is in the log',
    file: cli('left-inputs'),
    from: "        submit(execution, input.kind === 'signal' ? { ...input, input: id } : input),",
    to: "        inputs.delete([id]).then(() => submit(execution, input.kind === 'signal' ? { ...input, input: id } : input)),",
  },
  {
    breaks: 'a worker outlasts a result store that fails for a while',
    file: worker('worker'),
    from: '(value) => fetched(() => results.put(value))',
    to: '(value) => results.put(value)',
  },
  {
    breaks: 'all attempts of a visit have one key (TOOL-6)',
    file: worker('run-work'),
    from: 'key: taskRunId(assignment.request.execution_id, assignment.work, id.label, id.visit),',
    to: 'key: taskRunId(assignment.request.execution_id, assignment.work, id.label, id.visit * 10 + id.attempt),',
  },
  {
    breaks: 'secrets are taken out of what a tool gave (SEC-3)',
    file: worker('run-work'),
    from: 'secrets.redact(open as unknown as Json)',
    to: '(open as unknown as Json)',
  },
  {
    breaks: 'secrets are taken out of the input of a task (SEC-3)',
    file: worker('run-work'),
    from: "escapeTags(run.ports.secrets.redact(prepared.kind === 'problem' ? {} : prepared.input))",
    to: "escapeTags(prepared.kind === 'problem' ? {} : prepared.input)",
  },
  {
    breaks: 'a report delivered twice changes nothing (EVT-3)',
    file: execution('report'),
    from: 'visitsOf(state, label) === visit && state.attempt === attempt',
    to: 'true',
  },
  {
    breaks: 'timers of waits are set again after a crash (ENG-15)',
    file: execution('effects'),
    from: "[{ kind: 'timer', at: wait.until, timer: { of: 'wait', work } }];",
    to: '[];',
  },
  {
    breaks: 'children that are waited for are found again after a crash (ENG-15)',
    file: execution('effects'),
    from: "wait?.child === undefined ? timer : [{ kind: 'start-child', work, child: wait.child }, ...timer]",
    to: 'timer',
  },
  {
    breaks: 'deadlines of steps are set again after a crash (ENG-15)',
    file: execution('effects'),
    from: "if (deadline !== undefined) effects.push({ kind: 'timer', at: deadline, timer: { of: 'step', run } });",
    to: '',
  },
  {
    breaks: 'work that had begun is leased again after a crash (ENG-15)',
    file: execution('effects'),
    from: "if (phase === 'held') return [];",
    to: "if (phase === 'held' || phase === 'running') return [];",
  },
  {
    breaks: 'work that is held goes on when the pause is over (ENG-14)',
    file: execution('control'),
    from: "if (phase === 'held') releases.push(workKey(work));",
    to: '',
  },
  {
    breaks: 'a window is never exceeded (ENG-8)',
    file: execution('loop'),
    from: 'plan.maxInFlight - (inFlight.size - freed)',
    to: 'plan.maxInFlight + 1 - (inFlight.size - freed)',
  },
  {
    breaks: 'contributions fold in the order of indexes (ENG-9)',
    file: execution('evolve-loop'),
    from: 'if (ended >= frontier) break;',
    to: 'if (ended < 0) break;',
  },
  {
    breaks: 'payloads over the limit have their values stored elsewhere (RES-1)',
    file: execution('value-slots'),
    from: 'if (size <= limit) return NONE;',
    to: 'if (size <= 2 * limit) return NONE;',
  },
  {
    breaks: 'the log takes what was decided on its last position, and nothing else (EVT-1)',
    file: memory('event-log'),
    from: 'return moved || replaced ||',
    to: 'return replaced ||',
  },
  {
    breaks: 'the state of a process has what the log has: references to large values (RES-1)',
    file: server('live-execution'),
    from: 'enterDecision(entry, { ...decision, events, state: after });',
    to: 'enterDecision(entry, { ...decision, events });',
  },
  {
    breaks: 'stored bytes are those of their checksum (RES-3)',
    file: 'packages/noetl/src/results/memory.ts',
    from: 'texts.set(content.reference.key, content.text);',
    to: "texts.set(content.reference.key, content.text.replace('x', 'y'));",
  },
  {
    breaks: 'a driver that is alive keeps its executions (DESIGN §4)',
    file: memory('drivers'),
    from: "if ((known.get(before)?.until ?? 0) > clock.now()) return 'refused';",
    to: '',
  },
  {
    breaks: 'who is alive is not buried (DESIGN §4)',
    file: cli('bury-dead'),
    from: '!machine.isAlive(pid, startedAt)',
    to: 'true',
  },
  {
    breaks: 'secrets are taken out in the encodings of programs, too (SEC-3)',
    file: 'packages/noetl/src/secrets/encodings.ts',
    from: '    ...base64,\n',
    to: '',
  },
  {
    breaks: 'the limit of payloads is that of the spec (RES-1)',
    file: execution('value-slots'),
    from: 'export const INLINE_LIMIT = 64 * 1024;',
    to: 'export const INLINE_LIMIT = 72 * 1024;',
  },
  {
    breaks: 'a reference has the checksum of its bytes (RES-3)',
    file: 'packages/noetl/src/results/content.ts',
    from: 'const text = JSON.stringify(value);\n  return { text, reference: referenceTo(store, sha256(text),',
    to: 'const text = JSON.stringify(value);\n  return { text, reference: referenceTo(store, sha256(store + text),',
  },
  {
    breaks: 'a signal that is met again is received once (EVT-2)',
    file: execution('decide'),
    from: 'if (input !== undefined && input === draft.state.lastInput) return;',
    to: '',
  },
  {
    breaks: 'what could not be begun is not half open',
    file: server('executions'),
    from: '    giveUp(id, reason);\n    throw reason;',
    to: '    throw reason;',
  },
];
