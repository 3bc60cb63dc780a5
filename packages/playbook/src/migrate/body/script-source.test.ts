import { describe, expect, it } from 'vitest';
import { migratedSteps, trimmed } from '../flow/flow.testing.ts';

describe('MIG-1 python code that is kept elsewhere', () => {
  it('is fetched by the code from its address', () => {
    const { steps, rules, problems } = migratedSteps(`
      - step: start
        tool:
          kind: python
          script:
            uri: hello.py
            source: { type: http, endpoint: "{{ workload.url }}", method: GET }
          args:
            name: Ada
    `);
    expect(steps).toBe(
      trimmed(`
      - step: start
        tool:
          kind: python
          code: |
            from urllib.request import urlopen
            exec(urlopen(script_uri).read(), globals())
          args:
            script_uri: "{{ workload.url }}"
            name: Ada
    `),
    );
    expect({ rules, problems }).toEqual({ rules: ['tool-script?'], problems: [] });
  });

  it('is fetched from its bucket', () => {
    const { steps } = migratedSteps(`
      - step: start
        tool:
          kind: python
          script: { uri: a/hello.py, source: { type: gcs, bucket: code } }
    `);
    expect(steps).toContain('script_uri: "gs://code/a/hello.py"');
  });

  it('is refused where it cannot be asked for like that', () => {
    const { problems } = migratedSteps(`
      - step: start
        tool:
          kind: python
          script: { uri: a, source: { type: http, endpoint: "http://x", method: POST } }
      - step: next
        tool:
          kind: postgres
          script: { uri: "s3://b/a.sql", source: { type: s3 } }
    `);
    expect(problems).toEqual(["4: 'script' comes from http", "8: 'script' comes from s3"]);
  });
});
