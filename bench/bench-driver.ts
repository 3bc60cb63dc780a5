import { planOf } from '@noetl/engine';
import { readPlaybook } from '@noetl/playbook';
import type { LocalDriver, LocalDriverOptions } from '../packages/noetl/src/cli/local-driver.ts';
import type { SourcedPlan } from '../packages/noetl/src/cli/sourced-plan.ts';

let count = 0;

/** Runs an execution to its end, and says how many milliseconds it took. */
export async function execute(driver: LocalDriver, plan: SourcedPlan): Promise<number> {
  const id = `bench${count++}`;
  const began = performance.now();
  await driver.start(plan, { execution_id: id, payload: {} });
  const { status, error } = await driver.over(id);
  if (status !== 'success') throw new Error(`an execution of the bench failed: ${JSON.stringify(error)}`);
  return performance.now() - began;
}

export function chain(steps: number): SourcedPlan {
  const step = (index: number) => `
  - step: ${index === 0 ? 'start' : `s${index}`}
    tool: { kind: noop, result: ${index} }
    ${index + 1 < steps ? `next: { arcs: [{ step: s${index + 1} }] }` : ''}`;
  return planFrom(`workflow:${Array.from({ length: steps }, (_, index) => step(index)).join('')}\n`);
}

/** The iterations may go to any worker, where there are several. */
export const loop = (items: number, tool = '{ kind: noop, result: "{{ iter.x }}" }'): SourcedPlan =>
  planFrom(`
workflow:
  - step: start
    loop:
      in: "{{ range(${items}) | list }}"
      iterator: x
      spec: { mode: parallel, max_in_flight: 100, policy: { exec: distributed } }
    tool: ${tool}
`);

export function planFrom(workflow: string): SourcedPlan {
  const text = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: bench }\n${workflow}`;
  const { playbook } = readPlaybook(text, { file: 'bench.yaml' });
  if (playbook === undefined) throw new Error(`the playbook of the bench is not valid:\n${text}`);
  return { plan: planOf(playbook), text, folder: '.', path: 'bench', version: null, contentHash: 'bench' };
}

/** The built program's own parts: measured is what users run. */
export async function openDriver(
  folder: string,
  committed: LocalDriverOptions['committed'] = () => undefined,
): Promise<LocalDriver> {
  const built = (file: string): string => new URL(`../packages/noetl/dist/${file}`, import.meta.url).href;
  const [{ openDataFolder }, { openLocalDriver }, { folderSecrets }, { openTools }, { systemClock }, { thisMachine }] =
    await Promise.all([
      import(built('cli/data-folder.js')) as Promise<typeof import('../packages/noetl/src/cli/data-folder.ts')>,
      import(built('cli/local-driver.js')) as Promise<typeof import('../packages/noetl/src/cli/local-driver.ts')>,
      import(built('cli/folder-secrets.js')) as Promise<typeof import('../packages/noetl/src/cli/folder-secrets.ts')>,
      import(built('tools/registry.js')) as Promise<typeof import('../packages/noetl/src/tools/registry.ts')>,
      import(built('cli/system-clock.js')) as Promise<typeof import('../packages/noetl/src/cli/system-clock.ts')>,
      import(built('cli/this-machine.js')) as Promise<typeof import('../packages/noetl/src/cli/this-machine.ts')>,
    ]);
  const data = await openDataFolder(folder, systemClock, 'run');
  return openLocalDriver({
    data,
    machine: thisMachine,
    clock: systemClock,
    tools: openTools(thisMachine),
    driverId: 'bench',
    slots: 100,
    secrets: folderSecrets(data, thisMachine, systemClock, () => undefined),
    called: { find: () => Promise.reject(new Error('nothing is called')), of: async () => undefined },
    committed,
  });
}
