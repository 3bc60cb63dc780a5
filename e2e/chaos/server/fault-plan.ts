import { chanceOf, dice } from '../../../packages/noetl/src/simulation/dice.testing.ts';
import type { Victims } from '../kill.ts';

export const FAULT_KINDS = [
  'server killed',
  'worker killed',
  'worker stopped',
  'connections cut',
  'connections slow',
  'requests lost',
  'answers lost',
  'requests repeated',
  'wake-up lost',
  'disk full',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** How often each kind is drawn, among the others. */
const SHARES: Readonly<Record<FaultKind, number>> = {
  'server killed': 6,
  'worker killed': 14,
  'worker stopped': 12,
  'connections cut': 12,
  'connections slow': 8,
  'requests lost': 8,
  'answers lost': 8,
  'requests repeated': 12,
  'wake-up lost': 6,
  'disk full': 2,
};

/** What is done at one moment; who it is done to depends on who is well then. */
export interface FaultPlan {
  readonly number: number;
  readonly kind: FaultKind;
  /** Milliseconds until the one after it. */
  readonly gap: number;
  /** Which of those who are well, from 0, counted round. */
  readonly choice: number;
  /** Of a line: whether it is that of the clients. */
  readonly clients: boolean;
  /** Milliseconds that it lasts. */
  readonly lasts: number;
  /** Milliseconds by which bytes are late. */
  readonly delay: number;
  readonly victims: Victims;
  /** How often, or which way: each kind has its own use for it. */
  readonly variant: number;
}

export interface PlanOptions {
  readonly seed: number;
  readonly kinds: readonly FaultKind[];
  /** Milliseconds that a lease lasts. */
  readonly ttl: number;
}

/** The fault of a number: it follows from the seed, whatever happened before. */
export function plannedFault(number: number, { seed, kinds, ttl }: PlanOptions): FaultPlan {
  const chance = dice(chanceOf(seed, 1_000_000 + number));
  const kind = chance.pick(kinds.flatMap((one) => Array.from({ length: SHARES[one] }, () => one)));
  const variant = chance.roll(12);
  return {
    number,
    kind,
    gap: chance.between(100, 700),
    choice: chance.roll(1_000),
    clients: chance.once(4),
    lasts: lastsOf(kind, chance.roll(2_000), variant, ttl),
    delay: chance.between(20, 900),
    victims: chance.pick(['program', 'program', 'everything', 'all but tools']),
    variant,
  };
}

function lastsOf(kind: FaultKind, some: number, variant: number, ttl: number): number {
  // Longer than the lease lasts: somebody else has the work, or is about to.
  if (kind === 'worker stopped') return ttl + 600 + some;
  // Every fourth for longer than a server tries to write.
  if (kind === 'disk full') return variant % 4 === 0 ? 20_000 : 1_000 + some;
  return 500 + some;
}
