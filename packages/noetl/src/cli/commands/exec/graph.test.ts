import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { record } from '../../views/recorded.testing.ts';
import { recordFailure, recordWeather } from '../../views/weather.testing.ts';
import { openStoredExecutions, type StoredExecutions } from './stored-executions.testing.ts';

describe('exec graph', () => {
  let stored: StoredExecutions;
  beforeAll(async () => {
    stored = openStoredExecutions();
    await stored.keep('weather', recordWeather());
    await stored.keep('failed', recordFailure());
    await stored.keep('begun', record(WAITS));
  });
  afterAll(() => stored.close());

  const WAITS = `workflow:
  - step: start
    tool: { kind: wait, for: signal, name: go }
    next: { arcs: [{ step: later }] }
  - { step: later, tool: { kind: noop } }
`;

  it('prints the workflow with the counts of runs, iterations and arcs, and dims what nothing reached', async () => {
    const { stdout, exitCode } = await stored.exec(['graph', 'weather']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "---
      title: "demo"
      ---
      flowchart TD
        entry_point(("<b>entry</b>"))
        start["<b>start</b><br/>fetch (http)<br/>takes every arc that matches<br/>1 run#58; 1 done"]
        measure[["<b>measure</b><br/>for each day in workload.days (parallel, max_in_flight 2)<br/>read (noop)<br/>1 run#58; 1 done<br/>3 iterations#58; 2 ok, 1 failed"]]
        archive["<b>archive</b><br/>admission with 1 rule<br/>task_1 (noop)<br/>1 skipped"]
        publish["<b>publish</b><br/>approve (wait)<br/>send (noop)<br/>1 run#58; 1 failed"]
        apologize["<b>apologize</b><br/>task_1 (noop)<br/>1 run#58; 1 done"]
        entry_point --> start
        start -->|"1#215;"| measure
        start -->|"1#215;"| archive
        measure -->|"1#215;"| publish
        publish -.->|"event.name == 'step.failed', 1#215;"| apologize
        %% dotted: can be taken after a failure
        classDef done fill:#dafbe1,stroke:#1a7f37,color:#1f2328
        class start,measure,apologize done
        classDef skipped fill:#fff8c5,stroke:#9a6700,color:#1f2328
        class archive skipped
        classDef failed fill:#ffebe9,stroke:#cf222e,color:#1f2328
        class publish failed
        linkStyle 1,2,3,4 stroke:#1a7f37,stroke-width:3px
      "
    `);
  });

  it('prints the same for Graphviz', async () => {
    const { stdout } = await stored.exec(['graph', 'failed', '--format', 'dot']);
    expect(stdout).toMatchInlineSnapshot(`
      "digraph "demo" {
        graph [label="demo", labelloc=t, fontname="Helvetica"];
        node [fontname="Helvetica"];
        edge [fontname="Helvetica"];
        "entry_point" [shape=circle, label="entry"];
        "start" [shape=box, label="start\\n1 run: 1 done", style=filled, fillcolor="#dafbe1", color="#1a7f37"];
        "load" [shape=box, label="load\\nget (http)\\n1 run: 1 failed", style=filled, fillcolor="#ffebe9", color="#cf222e"];
        "entry_point" -> "start";
        "start" -> "load" [label="1×", color="#1a7f37", penwidth=3];
      }
      "
    `);
  });

  it('tells what is under way', async () => {
    const { stdout } = await stored.exec(['graph', 'begun']);
    expect(stdout).toContain('1 run#58; 1 active');
    expect(stdout).toContain('class start active\n');
    expect(stdout).toContain('class later untouched\n');
  });

  it('prints one line of JSON with the counts', async () => {
    const { stdout } = await stored.exec(['graph', 'weather', '--json']);
    const { execution_id, format, text, steps, arcs } = JSON.parse(stdout);
    expect([execution_id, format]).toEqual(['weather', 'mermaid']);
    expect(text).toMatch(/^---\ntitle: "demo"\n/);
    expect(steps.measure).toMatchObject({ runs: 1, done: 1, iterations: { started: 3, ok: 2, failed: 1 } });
    expect(arcs.publish).toMatchObject([{ step: 'apologize', taken: 1 }]);
  });

  it('says that it does not know an execution', async () => {
    expect(await stored.exec(['graph', 'nobody'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("has no execution 'nobody'"),
    });
  });
});
