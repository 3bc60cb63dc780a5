import { describe, expect, it } from 'vitest';
import { readPlaybook } from '../read-playbook.ts';
import { HEAD, STEPS, withSteps, withTask } from '../reading-playbooks.testing.ts';

/** The hints that name the way out of an older dialect. */
const hints = (text: string) =>
  readPlaybook(text, { file: 'x.yaml' })
    .diagnostics.map(({ hint }) => hint)
    .filter((hint) => hint.includes('noetl migrate'));

const rule = (text: string) => withTask(`{ kind: noop, spec: { policy: { rules: [${text}] } } }`);

describe('DOC-5: what older dialects wrote is refused with its canonical form and noetl migrate', () => {
  it.each([
    [
      'tool inside of a task of the workbook',
      `${HEAD}workbook: [{ name: clean, tool: { kind: noop } }]\n${STEPS}`,
      'write kind and its fields beside name',
    ],
    [
      'the same by name',
      `${HEAD}workbook: { clean: { tool: { kind: noop } } }\n${STEPS}`,
      'write kind and its fields beside name',
    ],
    ['name at the root', `name: x\n${HEAD}${STEPS}`, 'It belongs into metadata'],
    ['type of a task', `${HEAD}workbook: [{ name: clean, type: noop }]\n${STEPS}`, 'The kind of work is kind'],
    ['code under spec', withTask('{ kind: python, spec: { code: "1" } }'), "'code' stands beside kind"],
    ['url under spec', withTask('{ kind: http, spec: { url: "http://x" } }'), "'url' stands beside kind"],
    ['args under spec', withTask('{ kind: noop, spec: { args: { a: 1 } } }'), "'args' stands beside kind"],
    ['else that holds the directive', rule('{ else: { do: continue } }'), 'Write else: { then: { do: … } }'],
    ['an older runtime', `${HEAD}executor: { version: noetl-runtime/1 }\n${STEPS}`, 'Write noetl-runtime/2'],
    ['backoff: fixed', rule('{ else: { then: { do: retry, backoff: fixed } } }'), 'backoff: none'],
    ['the arguments of a container', withTask('{ kind: container, image: a, args: [b] }'), 'args_list'],
    ['secrets in the keychain', `${HEAD}keychain: [{ name: a, kind: secrets }]\n${STEPS}`, 'kind: secret_manager'],
    ['type in the keychain', `${HEAD}keychain: [{ name: a, type: bearer }]\n${STEPS}`, 'The kind of an entry is kind'],
    ...['path', 'code', 'command', 'auth', 'url', 'method', 'query', 'headers'].map((key) => [
      `${key} of a step`,
      withSteps(`  - step: start\n    tool: { kind: noop }\n    ${key}: x\n`),
      `'${key}' belongs to the task: tool: { kind: …, ${key}: … }`,
    ]),
  ])('%s', (_title = '', text = '', canonical = '') => {
    const [only, ...others] = hints(text);
    expect(others).toEqual([]);
    expect(only).toContain(canonical);
  });
});
