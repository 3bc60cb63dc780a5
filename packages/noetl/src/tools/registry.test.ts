import { KIND_SCHEMAS } from '@noetl/playbook';
import { afterAll, describe, expect, it } from 'vitest';
import { memoryKeep } from './memory-keep.testing.ts';
import { taskCall, toolsUnderTest } from './task-call.testing.ts';

const under = toolsUnderTest();
afterAll(() => under.tools.close());

describe('the tools of this release', () => {
  it('gives the rendered result of a noop', async () => {
    const yaml = 'kind: noop\nresult: { sum: "{{ workload.a + 1 }}", list: [1] }';
    expect(await under.run(yaml, { workload: { a: 1 } })).toEqual({ status: 'ok', result: { sum: 2, list: [1] } });
    expect(await under.run('kind: noop')).toEqual({ status: 'ok', result: null });
  });

  it.each(['snowflake', 'container', 'gcs', 'quantum'])('says that the kind %s is not available', async (kind) => {
    const answer = await under.run(KIND_SCHEMAS[kind]?.example.replaceAll('args.id', '1') ?? '', {
      keychain: { warehouse: 'x', lake: 'x' },
    });
    expect(under.tools.has(kind)).toBe(false);
    expect(answer.error).toMatchObject({
      kind: 'tool.unavailable',
      retryable: false,
      message: `the kind '${kind}' of the task 't' is not available in this release, which has noop, secrets, http, postgres, duckdb, shell, script, python, javascript.`,
    });
  });

  it('says that a kind does not exist', async () => {
    const call = taskCall('kind: noop');
    const answer = await under.tools.call(
      { ...call, task: { ...call.task, kind: 'constructor' } },
      { signal: new AbortController().signal, log: () => undefined, keep: memoryKeep(), folder: '.', environment: {} },
    );
    expect(answer.error).toMatchObject({
      kind: 'tool.unavailable',
      message: "the task 't' is of the kind 'constructor', which does not exist.",
    });
  });

  it.each(['http', 'postgres', 'duckdb', 'shell', 'script', 'python', 'javascript'])(
    'runs no %s that is already stopped',
    async (kind) => {
      const yaml = KIND_SCHEMAS[kind]?.example.replaceAll(/"\{\{.*?\}\}[^"]*"/g, '"http://127.0.0.1:1/"') ?? '';
      const answer = await under.run(yaml.replace('{{ args.id }}', '1'), {
        keychain: { warehouse: 'postgresql://127.0.0.1:1/x' },
        signal: AbortSignal.abort(new Error('cancelled')),
      });
      expect(answer.error).toMatchObject({ kind: 'cancelled', retryable: false });
    },
  );
});
