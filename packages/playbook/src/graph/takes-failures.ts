import { TemplateError } from '@noetl/template';
import type { Arc, Router } from '../model/playbook.ts';
import { readsEvent } from '../soundness/graph.ts';

/** ENG-5: after a failure only arcs whose guard reads `event` are considered, or all if the router says so. */
export function takesFailures(arc: Arc, router: Router): boolean {
  if (arc.when?.kind === 'constant' && !arc.when.value) return false;
  if (!readsEvent(arc)) return router.onFailure === 'all';
  return arc.when?.kind === 'template' && canHoldAfterFailure(arc.when.template);
}

type Guard = Extract<NonNullable<Arc['when']>, { kind: 'template' }>['template'];

/** A guard that reads nothing but the event's name can be asked; any other may hold. */
function canHoldAfterFailure(guard: Guard): boolean {
  const readsNameOnly = guard.references().every(({ name, path }) => name === 'event' && path[0] === 'name');
  if (!readsNameOnly) return true;
  try {
    return Boolean(guard.evaluate({ event: { name: 'step.failed' } }));
  } catch (error) {
    if (error instanceof TemplateError) return true;
    throw error;
  }
}
