import { describe, expect, it } from 'vitest';
import { migratedSteps } from '../flow/flow.testing.ts';

describe('MIG-1 python code that is kept elsewhere', () => {
  it('is fetched from its bucket', () => {
    const { steps } = migratedSteps(`
      - step: start
        tool:
          kind: python
          script: { uri: a/hello.py, source: { type: gcs, bucket: code } }
    `);
    expect(steps).toContain('script_uri: "gs://code/a/hello.py"');
  });

  it('is refused where the kind runs no code', () => {
    const { problems } = migratedSteps(`
      - step: start
        tool:
          kind: postgres
          script: { uri: "s3://b/a.sql", source: { type: s3 } }
    `);
    expect(problems).toEqual(["4: 'script' comes from s3"]);
  });
});
