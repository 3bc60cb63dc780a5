import type { AssignedLoop, Assignment } from '@noetl/engine';
import type { GivenWork } from './work-exchange.ts';

/**
 * DESIGN §4: work as it travels. What several pieces of it have in common, such as the list of a loop, is sent once, and is
 * one value again on the other side.
 */
export interface PackedWork {
  readonly parts: readonly unknown[];
  readonly work: readonly PackedPiece[];
}

/** With numbers of parts for what may be common. */
type PackedPiece = Packed<Omit<GivenWork, 'assignment'>, 'playbook' | 'secrets'> & {
  readonly assignment: Packed<Omit<Assignment, 'loops'>, Common> & {
    readonly loops: readonly Packed<AssignedLoop, 'items'>[];
  };
};
type Packed<Whole, Key extends keyof Whole> = Omit<Whole, Key> & { readonly [K in Key]: number };
type Common = 'request' | 'workload' | 'args' | 'ctx' | 'results';

export function packWork(given: readonly GivenWork[]): PackedWork {
  const parts: unknown[] = [];
  const places = new Map<unknown, number>();
  const place = (value: unknown): number => {
    const known = places.get(value) ?? parts.push(value) - 1;
    places.set(value, known);
    return known;
  };
  const work = given.map(({ assignment, playbook, secrets, ...piece }) => {
    const { request, workload, args, ctx, results, loops, ...own } = assignment;
    return {
      ...piece,
      playbook: place(playbook),
      secrets: place(secrets),
      assignment: {
        ...own,
        request: place(request),
        workload: place(workload),
        args: place(args),
        ctx: place(ctx),
        results: place(results),
        loops: loops.map(({ items, ...loop }) => ({ ...loop, items: place(items) })),
      },
    };
  });
  return { parts, work };
}

export function unpackWork({ parts, work }: PackedWork): readonly GivenWork[] {
  const part = <T>(place: number): T => parts[place] as T;
  return work.map(({ assignment, playbook, secrets, ...piece }) => {
    const { request, workload, args, ctx, results, loops, ...own } = assignment;
    return {
      ...piece,
      playbook: part(playbook),
      secrets: part(secrets),
      assignment: {
        ...own,
        request: part(request),
        workload: part(workload),
        args: part(args),
        ctx: part(ctx),
        results: part(results),
        loops: loops.map(({ items, ...loop }) => ({ ...loop, items: part(items) })),
      },
    };
  });
}
