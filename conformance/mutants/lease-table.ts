import type { Mutant } from './table.ts';

const server = (file: string) => `packages/noetl/src/server/${file}.ts`;

/** Broken leases of workers in other processes: the simulation with workers must notice. */
export const LEASE_MUTANTS: readonly Mutant[] = [
  {
    breaks: 'a lease is known by its epoch, its worker and its capability',
    file: server('remote-leases'),
    from: 'isSame(remote.ticket, ticket) && ',
    to: '',
  },
  {
    breaks: 'a server that starts goes on with leases that expired meanwhile',
    file: server('remote-leases'),
    from: "await log.leases(id, 'all')",
    to: 'await log.leases(id)',
  },
  {
    breaks: 'a server that starts knows the leases of its executions',
    file: server('executions'),
    from: 'await remote?.adopt(id, plan, state);',
    to: '',
  },
  {
    breaks: 'a report that the store could not take may come again',
    file: server('taken-once'),
    from: 'newest = nth - 1;',
    to: '',
  },
  {
    breaks: 'a worker that is silent loses its leases',
    file: server('remote-leases'),
    from: 'remote.lost || remote.until <= now',
    to: 'remote.lost',
  },
  {
    breaks: 'work whose ring was lost is offered again',
    file: server('remote-leases'),
    from: 'for (const execution of around.live()) lookAgain(execution);',
    to: '',
  },
  {
    breaks: 'workers are given work of their pool',
    file: server('remote-leases'),
    from: 'serves: (pool) => isOfPool(card, pool),',
    to: 'serves: () => true,',
  },
  {
    breaks: 'a local loop stays with its worker',
    file: server('loop-places'),
    from: 'if (place !== undefined) return place === worker;',
    to: 'if (place !== undefined) return true;',
  },
];
