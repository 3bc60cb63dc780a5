import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KIND_SCHEMAS } from '@noetl/playbook';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noPostgres, type PostgresServer, startPostgres } from '../postgres-server.testing.ts';
import type { ToolCredentials } from './define-tool.ts';
import { TOOL_ERROR_KINDS } from './error-kinds.ts';
import { kindsWithTable, withFieldTables } from './field-tables.testing.ts';
import { toolsUnderTest } from './task-call.testing.ts';

const reference = readFileSync(new URL('../../../../docs/reference/tools.md', import.meta.url), 'utf8');
const sections = new Map(
  reference.split(/^## /m).map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
);
const under = toolsUnderTest();
const credentials: ToolCredentials = {
  issue: async (secrets) => ({ handle: { kind: 'credential_handle', ...secrets } }),
  open: async () => ({ credential: 'a-token' }),
  renew: async () => undefined,
};
const server = createServer((_, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{"items":[]}');
});

let postgres: PostgresServer | undefined;

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  if (!noPostgres) postgres = await startPostgres();
});
afterAll(async () => {
  await under.tools.close();
  await postgres?.stop();
  server.close();
});

describe('the reference of the tools', () => {
  it('lists the fields of every kind, as its schema has them', () => {
    const kinds = Object.keys(KIND_SCHEMAS).filter(under.tools.has);
    expect([...kindsWithTable(reference)].sort()).toEqual(kinds.sort());
    for (const kind of kinds) expect(kindsWithTable(sections.get(kind) ?? '')).toEqual([kind]);
    expect(reference, 'npm run generate:reference').toBe(withFieldTables(reference));
  });

  it('says of every other kind that it is not available', () => {
    const others = Object.keys(KIND_SCHEMAS).filter((kind) => !under.tools.has(kind));
    expect(others.filter((kind) => !reference.includes(`\`${kind}\``))).toEqual([]);
  });

  it('lists every kind of error with its meaning', () => {
    const listed = Object.fromEntries(
      [...reference.matchAll(/^\| `([\w.]+)` \| ([^|]+) \| [^|]+ \|$/gm)].map((row) => [row[1], row[2]]),
    );
    expect(listed).toEqual(TOOL_ERROR_KINDS);
  });

  it.each([...reference.matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml = '']) => [yaml] as const))(
    'shows what runs: %s',
    async (yaml) => {
      if (yaml.includes('kind: postgres') && noPostgres) return;
      const { port } = server.address() as AddressInfo;
      const workload = { name: 'Ada', words: ['b', 'a'], prices: [1, 2.5], api_url: `http://127.0.0.1:${port}` };
      const answer = await under.run(yaml, {
        workload,
        keychain: { api: { token: 'a-token' }, warehouse: postgres?.url ?? null },
        credentials,
      });
      expect(answer).toMatchObject({ status: 'ok' });
    },
  );
});
