import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finishedRun } from './finished-run.testing.ts';
import { openProgramBy, WAYS, type WayProgram } from './ways.testing.ts';

const TIMEOUT = 120_000;
/** Wrong in a way that is only known when it is evaluated. */
const WRONG = '{{ workload.text + 1 }}';
const MESSAGE = "'+' does not work between text and an integer";
/** Where it fails: at what is added to. */
const FAILS = /workload\.text \+ 1|'a' \+ 1/;

const WORK = '[{ go: { kind: noop, result: 1 } }]';
const withRule = (rule: string) => `[{ go: { kind: noop, result: 1, spec: { policy: { rules: [${rule}] } } } }]`;
const step = (...lines: string[]) => `
workload: { name: Ada, text: abc }
workflow:
  - step: start
${lines.map((line) => `    ${line}\n`).join('')}`;
const OTHER = `  - step: other\n    tool: ${WORK}\n`;

/** The place of the error, the playbook, and the event that tells it. */
const PLACES: readonly (readonly [place: string, body: string, event: object])[] = [
  [
    'the when of an arc',
    `${step(`tool: ${WORK}`, `next: { arcs: [{ step: other, when: "${WRONG}" }, { step: other }] }`)}${OTHER}`,
    { name: 'next.evaluated', status: 'error' },
  ],
  [
    'the args of an arc',
    `${step(`tool: ${WORK}`, `next: { arcs: [{ step: other, args: { a: "${WRONG}" } }] }`)}${OTHER}`,
    { name: 'next.evaluated', status: 'error' },
  ],
  [
    'an admission rule',
    step(`spec: { policy: { admit: { rules: [{ when: "${WRONG}", then: { allow: true } }] } } }`, `tool: ${WORK}`),
    { name: 'step.failed', status: 'error' },
  ],
  [
    'the list of a loop',
    step(`loop: { in: "${WRONG}", iterator: x }`, `tool: ${WORK}`),
    { name: 'step.failed', status: 'error' },
  ],
  [
    'the list of an inner loop',
    step(`loop: { in: [1], iterator: x, loop: { in: "${WRONG}", iterator: y } }`, `tool: ${WORK}`),
    { name: 'loop.iteration.failed', status: 'error' },
  ],
  [
    'the when of a policy',
    step(`tool: ${withRule(`{ when: "${WRONG}", then: { do: continue } }`)}`),
    { name: 'step.failed', status: 'error' },
  ],
  [
    'a set_ctx',
    step(`tool: ${withRule(`{ else: { then: { do: continue, set_ctx: { a: "${WRONG}" } } } }`)}`),
    { name: 'step.failed', status: 'error' },
  ],
  [
    'a set_iter',
    step(
      'loop: { in: [1], iterator: x }',
      `tool: ${withRule(`{ else: { then: { do: continue, set_iter: { a: "${WRONG}" } } } }`)}`,
    ),
    { name: 'loop.iteration.failed', status: 'error' },
  ],
  [
    'a field of a task',
    step(`tool: [{ go: { kind: noop, result: "${WRONG}" } }]`),
    { name: 'task.done', status: 'error' },
  ],
  [
    'the workload',
    `workload: { text: abc, sum: "{{ 'a' + 1 }}" }\nworkflow: [{ step: start, tool: ${WORK} }]\n`,
    { name: 'playbook.request.evaluated', status: 'error' },
  ],
];

function placeOf(file: string): { readonly line: number; readonly column: number } {
  const lines = readFileSync(file, 'utf8').split('\n');
  const line = lines.findIndex((text) => FAILS.test(text));
  return { line: line + 1, column: (lines[line] ?? '').search(FAILS) + 1 };
}

describe.each(WAYS)('an error in a template, by the %s', (way) => {
  let program: WayProgram;
  beforeAll(async () => {
    program = await openProgramBy(way);
  }, TIMEOUT);
  afterAll(() => program.close());

  it.concurrent.each(PLACES)(
    'in %s is an error and never false (TPL-4)',
    { timeout: TIMEOUT },
    async (place, body, event) => {
      const file = program.playbook(place.replaceAll(' ', '_'), body);
      const { code, events, end } = await finishedRun(program, [file]);
      expect(code).toBe(1);
      expect(events).toContainEqual(expect.objectContaining(event));
      expect(end).toMatchObject({
        status: 'error',
        result: null,
        error: { kind: 'template', message: expect.stringContaining(MESSAGE), details: { place: placeOf(file) } },
      });
    },
  );

  // How places are told does not depend on the kind of error; of a server a few are enough.
  it.concurrent.each(way === 'folder' ? PLACES : PLACES.slice(0, 3))(
    'in %s is told with its place in the file (TPL-4)',
    { timeout: TIMEOUT },
    async (place, body) => {
      const file = program.playbook(`told_${place.replaceAll(' ', '_')}`, body);
      const data = program.newData();
      const { line, column } = placeOf(file);
      const { stderr } = await program.run(['run', file, '--data', data, '--quiet']);
      expect(stderr).toContain(` at ${file}:${line}:${column}\n${line} | `);
      const id = /execution ([0-9a-z]{20})/.exec(stderr)?.[1] ?? '';
      const { stdout } = await program.run(['exec', 'status', id, '--data', data, '--json']);
      const { failures } = JSON.parse(stdout);
      expect(failures.at(-1)).toMatchObject({ place: { line, column } });
    },
  );

  it('names the path that is undefined, the nearest name and the place in the file', { timeout: TIMEOUT }, async () => {
    const file = program.playbook('undefined', step('tool: [{ go: { kind: noop, result: "{{ workload.nmae }}" } }]'));
    const { code, stdout, stderr } = await program.run(['run', file, '--data', program.newData(), '--quiet']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain("'workload.nmae' is undefined: a mapping has no 'nmae'. Did you mean 'name'?");
    expect(stderr).toMatch(/start\.go failed at \S*undefined\.yaml:8:44\n/);
  });

  it('is none where a when reads something undefined', { timeout: TIMEOUT }, async () => {
    const arcs = '[{ step: other, when: "{{ workload.nmae }}" }]';
    const file = program.playbook('undefined_when', `${step(`tool: ${WORK}`, `next: { arcs: ${arcs} }`)}${OTHER}`);
    const { end } = await finishedRun(program, [file]);
    expect(end).toMatchObject({ status: 'success', result: 1 });
  });
});
