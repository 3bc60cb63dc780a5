import { below, withEntries } from '../tree/edit.ts';
import type { MapTree, Tree } from '../tree/tree.ts';

/**
 * Comments survive a migration. Those that stood at something which became no part of the new step, as the keys of a
 * retry that is now a jump, come to stand above where the step goes on, else at its end.
 */
export function withLostComments(before: MapTree, after: readonly MapTree[]): readonly MapTree[] {
  const [step, ...inserted] = after;
  if (step === undefined || step === before) return after;
  const left = after.flatMap(commentsOf);
  const lost = commentsOf(before).filter((comment) => {
    const found = left.indexOf(comment);
    if (found >= 0) left.splice(found, 1);
    return found < 0;
  });
  const place = step.entries.find(({ key }) => key === 'next') ?? step.entries.at(-1);
  if (lost.length === 0 || place === undefined) return after;
  const entries = step.entries.map((one) => (one === place ? below(one, { lines: lost, column: 0 }) : one));
  return [withEntries(step, entries), ...inserted];
}

/** Every comment below, in the order of the file, without what stands around it. */
function commentsOf(tree: Tree): readonly string[] {
  if (tree.kind === 'scalar') return [];
  const parts = tree.kind === 'map' ? tree.entries : tree.items;
  return [
    ...tree.layout.comments,
    ...parts.flatMap(({ above, comment, value }) => [...above.lines, comment, ...commentsOf(value)]),
  ].flatMap((line) => (line.trim().startsWith('#') ? [line.trim()] : []));
}
