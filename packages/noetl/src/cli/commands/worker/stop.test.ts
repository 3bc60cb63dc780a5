import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noetl } from '../../scripted-terminal.testing.ts';

/** A server with two workers, of which one leaves by itself at the moment that it is asked to. */
describe('noetl worker stop', { timeout: 60_000 }, () => {
  const asked: string[] = [];
  let there: Set<string>;
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const name = request.url?.split('/')[3];
      if (name === undefined) {
        response.end(JSON.stringify({ workers: [...there].map((one) => ({ name: one })) }));
        return;
      }
      asked.push(name);
      there.delete(name);
      const problem = { status: 404, code: 'NOETL_API_NOT_FOUND', detail: `there is no worker '${name}'.` };
      if (name === 'hasty') response.writeHead(404, { 'content-type': 'application/problem+json' });
      response.end(JSON.stringify(name === 'hasty' ? problem : { name }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  });
  beforeEach(() => {
    asked.length = 0;
    there = new Set(['calm', 'hasty']);
  });
  afterAll(() => {
    server.close();
  });

  const stop = (...args: readonly string[]) => noetl(['worker', 'stop', ...args, '--server', url]);

  it('--all succeeds where a worker leaves meanwhile, and tells which it stopped', async () => {
    expect(await stop('--all')).toEqual({ exitCode: 0, stdout: 'stopped 1 worker: calm\n', stderr: '' });
    expect(asked).toEqual(['calm', 'hasty']);
  });

  it('--all stops none where there are none', async () => {
    there.clear();
    expect(await stop('--all')).toEqual({ exitCode: 0, stdout: 'stopped 0 workers\n', stderr: '' });
  });

  it('stops nobody where one of the names is none of a worker', async () => {
    const { exitCode, stderr } = await stop('calm', 'clam');
    expect([exitCode, stderr]).toEqual([2, "error: there is no worker 'clam'. noetl worker list shows them.\n"]);
    expect(asked).toEqual([]);
  });

  it('takes one that has left for stopped by itself', async () => {
    const { exitCode, stdout } = await stop('hasty', '--json');
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, { stopped: [] }]);
  });
});
