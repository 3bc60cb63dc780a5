import { type FollowedRun, followedRun } from '../followed-run.testing.ts';
import type { Program } from '../program.testing.ts';
import { CASES, fileOf, type MixedCase, PLAYBOOKS, pathOf, ROOM_KEY, SIGNAL } from './cases.ts';
import { openMixedApi } from './mixed-api.ts';
import { outcomeOf, storedFamilies } from './stored-executions.ts';

/** What becomes of each case in `noetl run`, by its place in the list. */
export async function embeddedOutcomes(program: Program): Promise<readonly (readonly string[])[]> {
  const data = program.newData();
  const runs = new Map<string, Promise<FollowedRun>>();
  const idOf = async (tag: string) => (await runs.get(tag))?.id ?? '';
  const ask = async (tag: string, command: string, ...rest: readonly string[]) => {
    await program.run(['exec', command, await idOf(tag), ...rest, '--data', data]);
  };
  const api = await openMixedApi({
    asked: (tag) => void ask(tag, 'signal', SIGNAL.name, '--payload', JSON.stringify(SIGNAL.payload)),
    hangs: (tag) => void ask(tag, 'cancel'),
  });

  async function run({ name, payload }: MixedCase, nth: number): Promise<void> {
    const given = JSON.stringify({ ...payload, tag: `${nth}`, api: api.url });
    const args = [pathOf(name), '--data', data, '--payload', given, '--json'];
    const run = followedRun(program, args, { env: { ROOM_KEY } });
    runs.set(`${nth}`, run);
    await (await run).ending;
  }

  try {
    await program.run(['catalog', 'register', ...PLAYBOOKS.map(fileOf), '--data', data]);
    const next = CASES.entries();
    const lane = async () => {
      for (const [nth, one] of next) await run(one, nth);
    };
    await Promise.all([lane(), lane()]);
    const families = await storedFamilies(data);
    return Promise.all(CASES.map(async (_, nth) => outcomeOf(families.get(await idOf(`${nth}`)) ?? new Map())));
  } finally {
    await api.close();
  }
}
