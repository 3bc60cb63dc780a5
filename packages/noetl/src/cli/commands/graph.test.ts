import { describe, expect, it } from 'vitest';
import { noetl } from '../scripted-terminal.testing.ts';

const PLAYBOOK = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: test }
workflow:
  - step: start
    tool: { kind: noop }
    next: { arcs: [{ step: end }] }
`;
const MERMAID = `---
title: "test"
---
flowchart TD
  entry_point(("<b>entry</b>"))
  start["<b>start</b><br/>task_1 (noop)"]
  end_point((("<b>end</b>")))
  entry_point --> start
  start --> end_point
`;

describe('graph', () => {
  it('prints a Mermaid flowchart of a file or of standard input', async () => {
    const expected = { exitCode: 0, stdout: MERMAID, stderr: '' };
    expect(await noetl(['graph', 'a.yaml'], { 'a.yaml': PLAYBOOK })).toEqual(expected);
    expect(await noetl(['graph', '-', '--format', 'mermaid'], { '-': PLAYBOOK })).toEqual(expected);
  });

  it('prints a DOT digraph', async () => {
    const { exitCode, stdout } = await noetl(['graph', 'a.yaml', '--format', 'dot'], { 'a.yaml': PLAYBOOK });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^digraph "test" \{\n(.*\n)+ {2}"start" -> "end_point";\n\}\n$/);
  });

  it('prints one line of JSON', async () => {
    const { stdout } = await noetl(['graph', 'a.yaml', '--json'], { 'a.yaml': PLAYBOOK });
    expect(stdout).toBe(`${JSON.stringify({ format: 'mermaid', text: MERMAID })}\n`);
  });

  it('answers an invalid playbook with its errors, exit code 4 and no drawing', async () => {
    const { exitCode, stdout, stderr } = await noetl(['graph', 'a.yaml'], {
      'a.yaml': PLAYBOOK.replace('noop', 'nop'),
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
    expect(stderr).toMatch(
      /^a\.yaml:6:19 error NOETL_TASK_KIND_UNKNOWN: [\s\S]*\n\nerror: a\.yaml is not a valid playbook\n$/,
    );
  });

  it('answers a file that cannot be read, and a format that does not exist, with exit code 2', async () => {
    expect(await noetl(['graph', 'none.yaml'])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'error: cannot read none.yaml: no such file: none.yaml\n',
    });
    const { exitCode, stderr } = await noetl(['graph', 'a.yaml', '--format', 'dott']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/Did you mean 'dot'\?\n$/);
  });
});
