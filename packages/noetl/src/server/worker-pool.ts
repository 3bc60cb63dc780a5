/** Work of steps that name no pool. */
export const DEFAULT_POOL = 'default';

/** The part of a worker that says which work it is for. */
export interface PoolMember {
  readonly pool: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Whether a worker is of the pool that `step.spec.pool` names: `gpu` is a pool; `zone=eu` wants a label of a worker of the
 * default pool; `gpu,zone=eu,disk=ssd` wants the pool and all of the labels.
 */
export function isOfPool({ pool, labels }: PoolMember, wanted: string): boolean {
  const words = wanted
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const pools = words.filter((word) => !word.includes('='));
  const isInside = pools.length === 0 ? pool === DEFAULT_POOL : pools.every((word) => word === pool);
  return isInside && words.every((word) => !word.includes('=') || hasLabel(labels, word));
}

function hasLabel(labels: PoolMember['labels'], word: string): boolean {
  const at = word.indexOf('=');
  const name = word.slice(0, at).trim();
  return Object.hasOwn(labels, name) && labels[name] === word.slice(at + 1).trim();
}
