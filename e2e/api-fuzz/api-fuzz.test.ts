import { describe, expect, it } from 'vitest';
import { runCampaign } from './campaign.ts';
import { problemOf } from './judgement.ts';

const SEED = 20_261_115;
const SLICE = 1_200;

describe('SEC-4: requests that follow from the OpenAPI document, mutated and hostile', { timeout: 180_000 }, () => {
  it('are answered with 2xx or a problem, without traces and secrets; the server works on and its log verifies', async () => {
    const result = await runCampaign({ seed: SEED, first: 0, count: SLICE });
    expect([result.findings, result.aftermath]).toEqual([[], []]);
    expect(result.requests).toBe(SLICE);
    // A campaign that reaches nothing proves nothing.
    expect(result.unreached.length).toBeLessThan(result.operations / 2);
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
});
