import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { fieldOf, textOf } from '../tree/edit.ts';
import type { MapTree } from '../tree/tree.ts';
import { migrateGuard } from './admission.ts';
import { migrateNext } from './routing.ts';
import type { StepFlow } from './step-flow.ts';

/** What a step does about outcomes and where it goes on: the step, and steps that have to follow it. */
export function migrateFlow(step: MapTree, facts: DocumentFacts, journal: Journal): readonly MapTree[] {
  const flow = stepFlow(step, facts, journal);
  return [migrateNext(migrateGuard(step, flow), flow).step];
}

function stepFlow(step: MapTree, facts: DocumentFacts, journal: Journal): StepFlow {
  const loop = fieldOf(step, 'loop');
  const spec = loop?.kind === 'map' ? fieldOf(loop, 'spec') : undefined;
  return {
    name: textOf(fieldOf(step, 'step')) ?? '',
    loops: loop !== undefined,
    parallel: spec?.kind === 'map' && textOf(fieldOf(spec, 'mode')) === 'parallel',
    tokens: facts.dialects.has('eval-002'),
    journal,
    renamed: (tree) => tree,
  };
}
