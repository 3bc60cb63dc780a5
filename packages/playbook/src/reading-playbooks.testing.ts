import type { Playbook } from './model/playbook.ts';
import { readPlaybook } from './read-playbook.ts';

/** Three lines that every playbook starts with. */
export const HEAD = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: x }
`;

/** The least workflow. */
export const STEPS = 'workflow:\n  - step: start\n    tool: { kind: noop }\n';

/** A playbook whose workflow is `steps`, which start in line 5. */
export const withSteps = (steps: string): string => `${HEAD}workflow:\n${steps}`;

/** A playbook with one step whose only task is `task`, a flow mapping; it stands in line 6, column 11. */
export const withTask = (task: string): string => withSteps(`  - step: start\n    tool: ${task}\n`);

/** A noop task that has `then` as its else rule. */
export const withThen = (then: string): string =>
  withSteps(`  - step: start
    tool:
      kind: noop
      spec:
        policy:
          rules:
            - else:
                then: ${then}
`);

/** `CODE line:column` of every diagnostic, in order. */
export function diagnose(text: string, extensions: readonly string[] = []): readonly string[] {
  const { diagnostics } = readPlaybook(text, { file: 'x.yaml', extensions });
  return diagnostics.map(({ code, line, column }) => `${code} ${line}:${column}`);
}

/** Message and hint of the only diagnostic. */
export function complaint(text: string): string {
  const { diagnostics } = readPlaybook(text, { file: 'x.yaml' });
  const [only, ...others] = diagnostics;
  if (only === undefined || others.length > 0) throw new Error(`${diagnostics.length} diagnostics`);
  return `${only.message} | ${only.hint}`;
}

/** The playbook of a text without errors. */
export function playbookOf(text: string): Playbook {
  const { playbook, diagnostics } = readPlaybook(text, { file: 'x.yaml' });
  if (playbook === undefined) throw new Error(diagnostics.map(({ code, message }) => `${code} ${message}`).join('\n'));
  return playbook;
}
