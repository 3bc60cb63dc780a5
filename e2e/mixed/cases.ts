import { readFileSync } from 'node:fs';

/** A playbook of this folder with values of its workload. */
export interface MixedCase {
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Called by the others alone. */
const CALLED = ['guest', 'endless'];

const PAYLOADS: Readonly<Record<string, readonly MixedCase['payload'][]>> = {
  loops: [{}, { items: [10, 20, 30, 40] }, { items: [] }],
  local: [{}, { rooms: 5 }],
  pools: [{}, { walls: 6 }],
  python: [{}, { numbers: [] }, { size: 100_000 }],
  retries: [{}, { failures: 0 }, { failures: 9 }],
  pages: [{}, { totals: [7] }],
  // One child alone fails: of two at a time, who is first would decide whether the other still comes to its end (ENG-8).
  family: [{}, { guests: ['Ada', 'Grace', 'Linus'] }, { guests: [''] }],
  joins: [{}, { insured: false }],
  waits: [{}],
  failures: [{}, { handled: false }, { texts: ['1', '2'] }],
  cancelled: [{}],
  sql: [{}, { least: 20 }],
};

/** Every playbook with every payload. */
export const CASES: readonly MixedCase[] = Object.entries(PAYLOADS).flatMap(([name, payloads]) =>
  payloads.map((payload) => ({ name, payload })),
);

/** Where playbooks are, and where the catalog has them. */
export const PLAYBOOKS: readonly string[] = [...Object.keys(PAYLOADS), ...CALLED];
export const fileOf = (name: string): string => new URL(`./playbooks/${name}.yaml`, import.meta.url).pathname;
export const textOf = (name: string): string => readFileSync(fileOf(name), 'utf8');
export const pathOf = (name: string): string => `mixed/${name}`;

/** What the environment of the server holds, and what executions that ask for a signal are sent. */
export const ROOM_KEY = 'swordfish-1';
export const SIGNAL = { name: 'go', payload: { word: 'plover' } };
