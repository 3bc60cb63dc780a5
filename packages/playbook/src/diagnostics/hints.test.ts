import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readPlaybook } from '../read-playbook.ts';
import { complaint, HEAD, STEPS, withSteps, withTask, withThen } from '../reading-playbooks.testing.ts';
import { HOSTILE_DOCUMENTS } from '../yaml/hostile-documents.testing.ts';

const SOURCES = new URL('../', import.meta.url);
const PAGES = new URL('../../../../docs/errors/', import.meta.url);

/** Every text in backticks or quotes of the tests that reads like a document, and the examples of the error pages. */
function documents(): readonly string[] {
  const pages = readdirSync(PAGES).map((file) => readFileSync(new URL(file, PAGES), 'utf8'));
  const examples = pages.flatMap((page) =>
    Array.from(page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm), ([, text = '']) => text),
  );
  const tests = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
  const pieces = tests.flatMap((file) => {
    const source = readFileSync(new URL(file, SOURCES), 'utf8');
    return Array.from(source.matchAll(/'((?:[^'\\\n]|\\.)+)'/g), ([, text = '']) =>
      text.replaceAll('\\n', '\n').replaceAll("\\'", "'"),
    );
  });
  const wrapped = [...new Set(pieces)]
    .filter((piece) => /[:{[]/.test(piece))
    .flatMap((piece) => [HEAD + piece + STEPS, withSteps(piece), withTask(piece), withThen(piece)]);
  return [...examples, ...wrapped, ...Object.values(HOSTILE_DOCUMENTS).map((make) => make())];
}

describe('DOC-11: every diagnostic has a hint', () => {
  it('in all documents of the tests and pages', () => {
    const bare = new Set<string>();
    for (const text of documents()) {
      for (const { hint, code, message } of readPlaybook(text, { file: 'x.yaml' }).diagnostics)
        if (typeof hint !== 'string' || hint.trim() === '') bare.add(`${code} ${message}`);
    }
    expect([...bare]).toEqual([]);
  });

  it.each([
    ['a kind in other letters', `${HEAD.replace('Playbook', 'playbook')}${STEPS}`, "Did you mean 'Playbook'?"],
    ['metadata without a name', `${HEAD.replace('name: x', 'path: x')}${STEPS}`, 'metadata: { name: daily_report }'],
    ['a workflow that is a mapping', `${HEAD}workflow: { start: {} }\n`, '- step: start'],
    ['a keychain that is a mapping', `${HEAD}keychain: {}\n${STEPS}`, 'Write a list: keychain: [ {'],
    ['a command line', withTask('{ kind: shell, command: "ls -l" }'), 'cmds: ["ls -l"]'],
    ['a template that cannot be read', withTask('{ kind: noop, result: "{{ 1 + }}" }'), ' | '],
    ['a tool that is empty', withTask(''), 'Write tool: { kind: … }, or remove the key.'],
    ['a tool that is a word', withTask('http'), 'Write tool: { kind: http, … }; noetl migrate'],
    [
      'several tasks in a mapping',
      withTask('{ a: { kind: noop }, b: { kind: noop } }'),
      'Write one task an item: - a: { … } - b: { … }',
    ],
    [
      'an empty guard',
      withSteps('  - step: start\n    next: { arcs: [{ step: end, when: "" }] }\n'),
      'or remove the key',
    ],
    [
      'a number as guard',
      withSteps('  - step: start\n    next: { arcs: [{ step: end, when: 1 }] }\n'),
      'Write when: true.',
    ],
  ])('%s', (_title, text, hint) => {
    expect(complaint(text)).toContain(hint);
  });
});
