import type { Dialect } from './dialects.ts';
import type { DialectFound } from './migration.ts';
import { type NameFacts, nameFacts } from './names/name-facts.ts';
import { fieldOf, mapsIn, textOf } from './tree/edit.ts';
import type { MapTree, Tree } from './tree/tree.ts';

/** What a rule must know of the whole document, as its author wrote it. */
export interface DocumentFacts {
  /** The dialects found in it. */
  readonly dialects: ReadonlySet<Dialect>;
  readonly steps: ReadonlyMap<string, StepFacts>;
  /** What the meaning of names in templates depends on. */
  readonly names: NameFacts;
}

interface StepFacts {
  readonly name: string;
  /** The kind of work whose result is the step's: that of its last task; undefined where it has none. */
  readonly kind: string | undefined;
  /** The name of the iterator, if the step loops. */
  readonly iterator: string | undefined;
  /** Whether it goes on by a router, which sends a token along each arc that it takes. */
  readonly router: boolean;
}

export function documentFacts(root: MapTree, dialects: readonly DialectFound[]): DocumentFacts {
  const facts = mapsIn(fieldOf(root, 'workflow')).map(stepFacts);
  return {
    dialects: new Set(dialects.map(({ dialect }) => dialect)),
    steps: new Map(facts.map((step) => [step.name, step])),
    names: nameFacts(root),
  };
}

function stepFacts(step: MapTree): StepFacts {
  const next = fieldOf(step, 'next');
  const loop = fieldOf(step, 'loop');
  const iterator = loop?.kind === 'map' ? (fieldOf(loop, 'iterator') ?? fieldOf(loop, 'element')) : undefined;
  return {
    name: textOf(fieldOf(step, 'step')) ?? '',
    kind: kindOf(fieldOf(step, 'tool') ?? fieldOf(step, 'type')),
    iterator: textOf(iterator) ?? (loop === undefined ? undefined : ''),
    router: next?.kind === 'map' && fieldOf(next, 'arcs') !== undefined,
  };
}

function kindOf(tool: Tree | undefined): string | undefined {
  if (tool === undefined || tool.kind === 'scalar') return textOf(tool);
  if (tool.kind === 'list') return kindOf(tool.items.at(-1)?.value);
  const kind = textOf(fieldOf(tool, 'kind')) ?? textOf(fieldOf(tool, 'type'));
  // A labelled task is the value of its label.
  return kind ?? (tool.entries.length === 1 ? kindOf(tool.entries[0]?.value) : undefined);
}
