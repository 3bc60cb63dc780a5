import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProgram, type Program } from './program.testing.ts';

describe('SEC-2: noetl credential rotate', { timeout: 120_000 }, () => {
  let program: Program;
  beforeAll(() => {
    program = openProgram();
  });
  afterAll(() => program.close());

  it('may be killed at any moment: every credential can be opened afterwards', async () => {
    const data = program.newData();
    const env = { XDG_CONFIG_HOME: join(program.folder, 'config') };
    for (const name of ['one', 'two', 'three']) {
      await program.run(['credential', 'set', name, '--data', data], { env, input: `secret of ${name}` });
    }
    for (let nth = 0; nth < 8; nth++) {
      const child = program.start(['credential', 'rotate', '--data', data], { env });
      const ended = program.end(child);
      await sleep(60 + nth * 45);
      child.kill('SIGKILL');
      await ended;
      const { stdout } = await program.run(['doctor', '--data', data, '--json'], { env });
      expect(stdout).toContain('3 credentials can be opened');
    }
    expect((await program.run(['credential', 'rotate', '--data', data], { env })).code).toBe(0);
  });
});
