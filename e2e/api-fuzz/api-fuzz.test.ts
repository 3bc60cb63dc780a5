import { describe, expect, it } from 'vitest';
import { runCampaign } from './campaign.ts';
import { problemOf } from './judgement.ts';
import { promisesOf } from './promises.ts';

const SEED = 20_261_115;
const SLICE = 1_200;

describe('SEC-4: requests that follow from the OpenAPI document, mutated and hostile', { timeout: 180_000 }, () => {
  it('are answered with 2xx or a problem, without traces and secrets; the server works on and its log verifies', async () => {
    const result = await runCampaign({ seed: SEED, first: 0, count: SLICE });
    expect([result.findings, result.aftermath]).toEqual([[], []]);
    expect(result.requests).toBe(SLICE);
    // A campaign that reaches nothing proves nothing.
    expect(result.unreached.length).toBeLessThan(result.operations / 4);
    expect(Object.keys(result.statuses)).toEqual(expect.arrayContaining(['200', '400', '401', '403', '404', '413']));
  });

  // One that misses a seeded fault neither.
  it.each([
    ['a failure inside', 500, 'application/problem+json', '{"code":"NOETL_API_INTERNAL"}', 'answers with 500'],
    ['an answer that is no problem', 400, 'text/html', 'no', 'answers with 400 and no problem document'],
    ['a trace', 200, 'application/json', '{"x":"Error: x\\n    at f (a.js:1:2)"}', 'tells of its inner life'],
    ['a secret', 200, 'application/json', '{"x":"s3cr3t-and-long"}', expect.stringContaining('tells a secret')],
    ['a secret in base64', 200, 'text/plain', btoa('s3cr3t-and-long'), expect.stringContaining('tells a secret')],
    ['silence', undefined, '', '', 'does not answer'],
  ])('show %s', (_name, status, type, body, expected) => {
    const answer = { status, type, bytes: Buffer.from(body), ended: false };
    const request = { maySilent: false, method: 'GET', bytes: Buffer.alloc(0) };
    expect(problemOf(request, answer, [{ name: 'it', value: 's3cr3t-and-long' }])).toEqual(expected);
  });

  const described = { parameters: [], body: undefined, promised: { status: 200, type: 'application/json' } };
  const broken = promisesOf([
    { ...described, method: 'GET', path: '/n', promised: { ...described.promised, schema: { type: 'integer' } } },
    { ...described, method: 'POST', path: '/api/work/log', promised: { ...described.promised, schema: {} } },
    { ...described, method: 'POST', path: '/api/work/report', promised: { ...described.promised, schema: {} } },
  ]);
  it.each([
    ['what is described', 'GET /n', 200, '7', false, undefined],
    ['another status', 'GET /n', 201, '7', false, 'answers with 201, and 200 is described'],
    ['another shape', 'GET /n', 200, '"7"', false, 'answers with what is not described: data must be integer'],
    ['half an answer', 'GET /n', 200, '{', false, 'answers with something that is no JSON'],
    ['a lease that nobody gave', 'POST /api/work/log', 200, '{}', true, 'takes a lease that was never given'],
    [
      'one of several',
      'POST /api/work/report',
      200,
      '{"answers":["taken"]}',
      true,
      'takes a lease that was never given',
    ],
    ['its refusal', 'POST /api/work/report', 200, '{"answers":["gone"]}', true, undefined],
  ])('show %s', (_name, operation, status, body, tampered, expected) => {
    const answer = { status, type: 'application/json', bytes: Buffer.from(`HTTP/1.1\r\n\r\n${body}`), ended: true };
    const request = { operation, maySilent: false, method: 'GET', bytes: Buffer.alloc(0), elsewhere: false, tampered };
    expect(broken(request, answer)).toBe(expected);
  });
});
