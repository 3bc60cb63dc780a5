import { describe, expect, it } from 'vitest';
import { callAttributes, outcomeAttributes, spanKindOf } from './task-attributes.ts';

describe('what a span says of a task', () => {
  it('is an address without what could be a credential (SEC-3)', () => {
    const url = 'https://me:pass-canary@api.example/rooms/7?key=query-canary#part';
    const attributes = callAttributes('http', { url, method: 'post', headers: { authorization: 'head-canary' } });
    expect(attributes).toEqual({
      'http.request.method': 'POST',
      'url.full': 'https://api.example/rooms/7',
      'server.address': 'api.example',
      'server.port': 443,
    });
  });

  it('is no more than the method where there is no address', () => {
    for (const url of ['nonsense', 'file:///etc/passwd', null, { $noetl: 'reference' }]) {
      expect(callAttributes('http', { url })).toEqual({ 'http.request.method': 'GET' });
    }
    expect(callAttributes('http', null)).toEqual({});
  });

  it('names the database, and what it answered, but no statement', () => {
    expect(callAttributes('postgres', { query: 'select 1', dsn: 'postgresql://a/b' })).toEqual({
      'db.system.name': 'postgresql',
    });
    const outcome = { status: 'error', result: null, meta: { attempt: 1, duration_ms: 0, ts: '' } } as const;
    expect(outcomeAttributes({ ...outcome, pg: { code: 'unique', sqlstate: '23505' } })).toMatchObject({
      'db.response.status_code': '23505',
    });
    expect(outcomeAttributes({ ...outcome, http: { status: null } })).toEqual({});
  });

  it('is that of a client where another program is asked', () => {
    expect(['http', 'postgres', 'noop', 'constructor'].map(spanKindOf)).toEqual([
      'client',
      'client',
      'internal',
      'internal',
    ]);
    expect(callAttributes('constructor', {})).toEqual({});
  });
});
