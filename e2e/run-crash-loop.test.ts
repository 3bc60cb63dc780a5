import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProgram, type Program } from './program.testing.ts';
import { intactExecutions } from './stored-log.testing.ts';

/** Ends the program that runs it, at once; the process that it is started by is the program itself. */
const PLAYBOOK = `
workflow:
  - step: start
    tool: [{ lethal: { kind: shell, cmds: ['kill -9 $PPID'] } }]
`;

describe('an execution whose task kills its process, as fast as it can', () => {
  let program: Program;
  beforeAll(() => {
    program = openProgram();
  });
  afterAll(() => program.close());

  it('ends in an error after 10 takeovers (ENG-13)', { timeout: 300_000 }, async () => {
    const data = program.newData();
    const first = await program.run(['run', program.playbook('lethal', PLAYBOOK), '--data', data]);
    expect(first.signal).toBe('SIGKILL');
    const [{ id } = { id: '' }] = await intactExecutions(program, data);
    const resume = () => program.run(['run', '--resume', id, '--data', data]);
    let resumes = 1;
    let end = await resume();
    for (; end.signal === 'SIGKILL' && resumes < 20; resumes++) end = await resume();
    // The first time, it may die before the log knows that it runs.
    expect([11, 12]).toContain(resumes);
    expect(end).toMatchObject({ signal: null, code: 1 });
    expect(end.stderr).toContain('limit.takeovers');
    const [execution] = await intactExecutions(program, data, { shown: true });
    expect(execution?.events.at(-1)).toMatchObject({
      name: 'playbook.processed',
      payload: { status: 'error', error: { kind: 'limit.takeovers' } },
    });
  });
});
