import { append } from '../../ports/log-under-test.testing.ts';
import { note } from '../../ports/sample-events.testing.ts';
import type { Store } from '../../ports/store.ts';
import { openSqliteStore } from './store.ts';

/**
 * A process that writes: `writer.testing.ts FOLDER alone` appends to executions of its own until it is killed, and prints
 * each append when it is acknowledged; `writer.testing.ts FOLDER shared NAME COUNT` appends so often to one execution, in
 * competition with others, and ends.
 */
const [folder = '', mode, name = '', count = '0'] = process.argv.slice(2);
const store = await openSqliteStore(folder, { now: Date.now, at: () => () => undefined });
process.stdout.write('ready\n');
if (mode === 'alone') await Promise.all(Array.from({ length: 20 }, (_, producer) => produce(store, `e${producer}`)));
else await compete(store, name, Number(count));
await store.close();

async function produce({ log }: Store, execution: string): Promise<void> {
  for (let position = await log.position(execution); ; position++) {
    await log.append([append(execution, position)]);
    process.stdout.write(`${execution} ${position + 1}\n`);
  }
}

async function compete({ log }: Store, writer: string, times: number): Promise<void> {
  for (let done = 0; done < times; ) {
    const position = await log.position('shared');
    const events = [note('shared', position + 1, `${writer} ${done}`)];
    const [answer] = await log.append([append('shared', position, { events })]);
    if (answer?.kind === 'appended') done++;
  }
}
