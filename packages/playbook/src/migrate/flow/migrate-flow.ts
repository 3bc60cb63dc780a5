import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { entryOf, fieldOf, textOf } from '../tree/edit.ts';
import type { EntryTree, MapTree } from '../tree/tree.ts';
import { migrateGuard } from './admission.ts';
import { migrateCase } from './case.ts';
import { migrateEndLoop } from './end-loop.ts';
import { migrateKept } from './kept-values.ts';
import { migrateRetry } from './retry.ts';
import { migrateNext } from './routing.ts';
import { migrateSink } from './sink.ts';
import { type StepFlow, stepFlow } from './step-flow.ts';
import { migrateResult } from './step-result.ts';

/** What a step does about outcomes and where it goes on: the step, and steps that have to follow it. */
export function migrateFlow(step: MapTree, facts: DocumentFacts, journal: Journal): readonly MapTree[] {
  const name = textOf(fieldOf(step, 'step')) ?? '';
  const flow = stepFlow(name, fieldOf(step, 'loop') !== undefined, facts, journal);
  const guarded = migrateEndLoop(migrateGuard(step, flow), flow);
  const clause = entryOf(guarded, 'case') ?? entryOf(guarded, 'after');
  if (clause !== undefined) return caseFlow(guarded, clause, flow);
  const routed = migrateNext(guarded, flow);
  const retried = migrateRetry(routed.step, flow);
  const { step: kept, inserted } = migrateKept(retried, routed.ctx, flow);
  return [migrateResult(migrateSink(kept, flow), flow), ...inserted];
}

function caseFlow(step: MapTree, clause: EntryTree, flow: StepFlow): readonly MapTree[] {
  const cased = flow.journal.attempt(() => migrateCase(migrateRetry(step, flow), clause, flow));
  if (cased === undefined) return [step];
  const { step: kept, inserted } = migrateKept(cased, [], flow);
  return [migrateResult(migrateSink(kept, flow), flow), ...inserted];
}
