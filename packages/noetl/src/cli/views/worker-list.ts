import type { Pool } from '../../api/workers.ts';
import { isUnserved } from '../../server/pools.ts';
import { type Line, paint, tinted } from './line.ts';
import { type Column, table } from './table.ts';
import { visible } from './visible.ts';

interface ShownWorker {
  readonly name: string;
  readonly pool: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly slots: number;
  readonly host: string;
  readonly pid: number;
  readonly drains: boolean;
}

const COLUMNS: readonly Column[] = [
  { title: 'WORKER' },
  { title: 'POOL' },
  { title: 'SLOTS', align: 'right' },
  { title: 'HOST' },
  { title: 'PROCESS', align: 'right' },
  { title: 'LABELS' },
  { title: '' },
];

export function workerTable(workers: readonly ShownWorker[], color: boolean): string {
  if (workers.length === 0) return 'There are no workers in processes of their own.\n';
  const rows = workers.map(({ name, pool, labels, slots, host, pid, drains }): readonly Line[] => [
    [visible(name)],
    [visible(pool)],
    [`${slots}`],
    [visible(host)],
    [`${pid}`],
    [visible(labelsText(labels))],
    [tinted('dim', drains ? 'stopping' : '')],
  ]);
  return table(COLUMNS, rows)
    .map((line) => `${paint(line, color)}\n`)
    .join('');
}

/** Work that waits for workers that are not there. */
export const unservedText = (pools: readonly Pool[]): string =>
  pools
    .filter(isUnserved)
    .map(
      ({ pool, waiting }) =>
        `${waiting} ${waiting === 1 ? 'piece' : 'pieces'} of work for '${visible(pool)}': no worker is there for it.\n`,
    )
    .join('');

const labelsText = (labels: ShownWorker['labels']): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
