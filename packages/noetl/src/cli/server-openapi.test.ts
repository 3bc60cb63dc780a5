import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerUnderTest, serverUnderTest } from './server-under-test.testing.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly 'x-permission': string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody?: { readonly content: { readonly 'application/json'?: { readonly schema: object } } };
}
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

describe('the OpenAPI document', { timeout: 120_000 }, () => {
  let folder: string;
  let server: ServerUnderTest;
  let document: Document;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-openapi-'));
    server = await serverUnderTest(folder, { ...process.env, NOETL_API_RATE: '0' });
    document = (await server.get('/api/openapi.json')).body as unknown as Document;
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  const operations = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );

  it('is of version 3.1, and its schemas are JSON Schemas of 2020-12', () => {
    expect(document.openapi).toBe('3.1.0');
    const ajv = new Ajv2020({ strict: false });
    for (const { operation } of operations()) {
      for (const { schema } of operation.parameters) ajv.compile(schema);
      const body = operation.requestBody?.content['application/json']?.schema;
      if (body !== undefined) ajv.compile(body);
    }
    expect(new Set(operations().map(({ operation }) => operation.operationId)).size).toBe(operations().length);
  });

  it('is what the reference of the API lists', () => {
    const reference = readFileSync(new URL('../../../../docs/reference/api.md', import.meta.url), 'utf8');
    const listed = [...reference.matchAll(/^\| `(\w+) (\S+)` \| (.*) \| (\w+) \|$/gm)].map((row) => row.slice(1));
    const known = operations().map(({ method, path, operation }) => [
      method,
      path,
      operation.summary,
      operation['x-permission'],
    ]);
    expect(listed.map(String).sort()).toEqual(known.map(String).sort());
  });

  it('is shown as a page that needs nothing from elsewhere', async () => {
    const answer = await fetch(`${server.url}/api/docs`);
    const page = await answer.text();
    expect(answer.headers.get('content-type')).toContain('text/html');
    for (const { path } of operations()) expect(page).toContain(path);
    expect(page).not.toMatch(/(src|href)="(https?:)?\/\//);
  });

  it('describes requests that are answered without a failure of the server, whatever is in them', async () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.constantFrom('', '0', '-1', 'null', '../..', '%00', "'", '1e400', '\u0000', '𝒳'),
    );
    const one = fc.record({
      operation: fc.constantFrom(...operations().filter(({ path }) => !path.endsWith('/live'))),
      values: fc.array(value, { minLength: 8, maxLength: 8 }),
      body: fc.oneof(
        fc.json(),
        fc.dictionary(fc.constantFrom('path', 'payload', 'text', 'at', 'name'), fc.jsonValue()),
      ),
    });
    await fc.assert(
      fc.asyncProperty(one, async ({ operation: { method, path, operation }, values, body }) => {
        const given = [...values];
        const next = () => encodeURIComponent(String(given.shift() ?? ''));
        const target = path.replace(/\{\w+\}/g, next);
        const query = operation.parameters.filter((each) => each.in === 'query').map(({ name }) => `${name}=${next()}`);
        const answer = await server.send(
          method,
          `${target}?${query.join('&')}`,
          method === 'POST' || method === 'PUT' ? body : undefined,
        );
        expect(answer.status, `${method} ${target}?${query.join('&')}`).toBeLessThan(500);
        expect(JSON.stringify(answer.body)).not.toMatch(/\.ts:\d|node_modules/);
      }),
      { numRuns: 500 },
    );
    expect(server.complaints()).toBe('');
  });
});
