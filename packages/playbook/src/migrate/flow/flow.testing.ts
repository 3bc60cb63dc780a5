import { migratePlaybook } from '../migrate-playbook.ts';

const HEAD = `apiVersion: noetl.io/v2
kind: Playbook
metadata:
  name: p
workflow:
`;

export interface Migrated {
  /** The workflow, without the indent of its steps. */
  readonly steps: string;
  /** By name; those that an author should look at end in a question mark. */
  readonly rules: readonly string[];
  /** `line: message` of the steps. */
  readonly problems: readonly string[];
}

/** What becomes of the steps of a playbook. */
export function migratedSteps(steps: string): Migrated {
  const text = HEAD + trimmed(steps).replace(/^(?=.)/gm, '  ');
  const { text: after, notes, problems } = migratePlaybook(text, { file: 'p.yaml' });
  return {
    steps: after.slice(HEAD.length).replace(/^ {2}/gm, ''),
    rules: [...new Set(notes.map(({ rule, review }) => rule + (review ? '?' : '')))].sort(),
    problems: problems.map(({ line, message }) => `${line - 5}: ${message}`),
  };
}

/** A text of several lines without what all of them are indented by. */
export function trimmed(text: string): string {
  const lines = text.replace(/^\n/, '').replace(/\n *$/, '\n').split('\n');
  const indent = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(indent)).join('\n');
}
