import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { otlpReceiver } from '../packages/noetl/src/tracing/otlp-receiver.testing.ts';
import { openProgram, type Program } from './program.testing.ts';

const TIMEOUT = 120_000;
const WAITS = 'workflow: [{ step: start, tool: [{ pause: { kind: wait, for: delay, seconds: 3600 } }] }]\n';

describe('noetl doctor', { timeout: TIMEOUT }, () => {
  let program: Program;
  beforeAll(() => {
    program = openProgram();
  });
  afterAll(() => program.close());

  const doctor = async (data: string) => {
    const { code, stdout, stderr } = await program.run(['doctor', '--data', data, '--json']);
    expect(stderr).toBe('');
    const findings: { check: string; status: string; found: string }[] = JSON.parse(stdout);
    return { code, findings, folder: findings.find(({ check }) => check === 'data folder') };
  };

  it('looks at everything that playbooks need', async () => {
    const { code, findings } = await doctor(program.newData());
    expect(code).toBe(0);
    expect(findings.map(({ check }) => check)).toEqual(['node', 'python3', 'sh', 'http', 'disk', 'data folder']);
    expect(findings.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'ok']);
  });

  it('counts what is unfinished and who drives it, one or many', async () => {
    const data = program.newData();
    const file = program.playbook('waits', WAITS);
    for (const counted of ['1 unfinished execution, driven by', '2 unfinished executions, driven by']) {
      const child = program.start(['run', file, '--data', data]);
      await new Promise<void>((resolve) =>
        child.stderr?.on('data', (text) => `${text}`.includes('waits') && resolve()),
      );
      expect((await doctor(data)).folder).toMatchObject({ found: `${data}: ${counted} 1 process` });
      child.kill('SIGKILL');
      await program.end(child);
      expect((await doctor(data)).folder).toMatchObject({
        found: `${data}: ${counted} 0 processes`,
        hint: expect.stringContaining('noetl run --resume'),
      });
    }
  });

  it('tells whether the stores of results that the environment names answer, and no secret of theirs', async () => {
    const env = {
      NOETL_RESULTS_POSTGRES: 'postgresql://noetl:pass-canary@127.0.0.1:1/db',
      NOETL_NATS_URL: 'nats://noetl:pass-canary@127.0.0.1:1',
    };
    const { code, stdout } = await program.run(['doctor', '--data', program.newData(), '--json'], { env });
    expect(code).toBe(0);
    expect(stdout).not.toContain('pass-canary');
    const findings: { check: string; found: string }[] = JSON.parse(stdout);
    expect(findings.filter(({ check }) => check === 'results')).toMatchObject([
      { status: 'warning', found: expect.stringContaining('postgresql://127.0.0.1:1/db') },
      { status: 'warning', found: expect.stringContaining('nats://127.0.0.1:1') },
    ]);
  });

  it('tells whether the receiver of spans that the environment names takes any, and no secret', async () => {
    const receiver = await otlpReceiver();
    const found = async (more: Readonly<Record<string, string>> = {}) => {
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_HEADERS: 'key=head-canary', ...more };
      const { code, stdout } = await program.run(['doctor', '--data', program.newData(), '--json'], { env });
      expect(code).toBe(0);
      expect(stdout).not.toContain('canary');
      const findings: { check: string; status: string; found: string }[] = JSON.parse(stdout);
      return findings.flatMap(({ check, status, found }) => (check === 'traces' ? [`${status}: ${found}`] : []));
    };
    expect(await found()).toEqual([`ok: ${receiver.url}/v1/traces takes spans`]);
    expect(receiver.mistakes).toEqual([]);
    receiver.manner = { status: 401 };
    expect(await found()).toEqual([`warning: ${receiver.url}/v1/traces takes no spans: it answers 401: not today`]);
    await receiver.close();
    expect(await found()).toEqual([`warning: ${receiver.url}/v1/traces takes no spans: ECONNREFUSED`]);
    expect(await found({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:pass-canary@a' })).toMatchObject([
      expect.stringMatching(/^warning: /),
    ]);
  });

  it('says what is in the way of a data folder, and makes none', async () => {
    const file = program.newData();
    writeFileSync(file, '');
    const empty = program.newData();
    mkdirSync(empty);
    expect(await doctor(file)).toMatchObject({
      code: 1,
      folder: { status: 'error', found: `${file} is a file, and a folder is needed` },
    });
    expect(await doctor(empty)).toMatchObject({
      code: 0,
      folder: { status: 'ok', found: `${empty} holds no executions yet` },
    });
    expect(await doctor('/proc/none')).toMatchObject({ code: 1 });
  });
});
