import type { Reference, StaticPath } from '@noetl/template';
import type { DocumentFacts } from '../document-facts.ts';
import { comparison } from './error-kinds.ts';
import type { Replacement, Rewrite } from './rewrite-template.ts';
import type { Site } from './site.ts';

/** What the events of the old engine said of a step: that its work was done, that it failed, or only that it ended. */
const SAYS: Readonly<Record<string, 'done' | 'failed' | 'ended' | 'entered'>> = {
  'call.done': 'done',
  'step.done': 'done',
  'step.finished': 'done',
  'loop.done': 'done',
  'call.error': 'failed',
  'step.error': 'failed',
  'step.failed': 'failed',
  'step.exit': 'ended',
  'step.enter': 'entered',
  'step.started': 'entered',
};

const READS_ERROR: ReadonlySet<string> = new Set(['error', 'last_error']);

/**
 * `event.name`: in the rules of a task the status of its outcome, at arcs the boundary. An exit that asks for no error is
 * the successful end, because an error that nothing matched failed the step.
 */
export function eventMeaning(site: Site, facts: DocumentFacts, read: readonly Reference[]): Rewrite {
  const asksForError = read.some(({ name }) => READS_ERROR.has(name));
  const looped = 'step' in site && facts.names.steps.get(site.step)?.looped === true;
  return {
    expression: (node): Replacement | undefined => {
      const compared = comparison(node);
      if (compared === undefined || !isEventName(compared.reference)) return undefined;
      const said = compared.words.map((word) => (Object.hasOwn(SAYS, word) ? SAYS[word] : undefined));
      if (said.includes('entered')) return ENTERED;
      if (site.at === 'arcs' && compared.words.every((word) => isBoundary(word, looped))) return undefined;
      if (said.includes(undefined)) return undefined;
      const ends = new Set(
        said.flatMap((end) =>
          end === 'ended' && asksForError ? ['done', 'failed'] : end === 'ended' ? ['done'] : [end],
        ),
      );
      const { negative } = compared;
      if (ends.size > 1) return { text: String(!negative), rule: 'case-event' };
      const [subject, word] =
        site.at === 'policy'
          ? ['outcome.status', ends.has('failed') ? 'error' : 'ok']
          : ['event.name', boundary(ends.has('failed'), looped)];
      return { text: `${subject} ${negative ? '!=' : '=='} '${word}'`, rule: 'case-event' };
    },
  };
}

const isEventName = ({ name, path }: StaticPath): boolean =>
  name === 'event' && path.length === 1 && path[0] === 'name';

/** ENG-8: the boundary of a loop is never step.done. */
const boundary = (failed: boolean, looped: boolean): string =>
  failed ? 'step.failed' : looped ? 'loop.done' : 'step.done';

const isBoundary = (word: string, looped: boolean): boolean =>
  word === 'step.failed' || word === 'loop.done' || (word === 'step.done' && !looped);

const ENTERED: Replacement = {
  problem: 'what is done when a step is entered has no place of its own',
  hint: 'Whether a step may run is spec.policy.admit.rules; what is to be done first is a task at the start of its pipeline.',
};
