import { describe, expect, it } from 'vitest';
import { checkDocuments } from '../document-cases.testing.ts';
import { complaint, playbookOf, withSteps } from '../reading-playbooks.testing.ts';

describe('DOC-7: next', () => {
  const next = (text: string) => withSteps(`  - step: start\n    next: ${text}\n`);
  checkDocuments([
    ['arcs alone', next('{ arcs: [{ step: end }] }'), []],
    [
      'everything',
      next(
        '{ spec: { mode: inclusive, on_failure: all, policy: {} }, arcs: [{ step: end, when: "{{ ctx is defined }}", args: { a: 1 }, spec: {} }] }',
      ),
      [],
    ],
    ['a name', next('end'), ['NOETL_NEXT_SHAPE 6:11']],
    ['a list', next('[{ step: end }]'), ['NOETL_NEXT_SHAPE 6:11']],
    [
      'an older condition',
      next('{ when: "{{ true }}", then: [{ step: end }] }'),
      ['NOETL_REQUIRED 6:11', 'NOETL_NEXT_SHAPE 6:13', 'NOETL_NEXT_SHAPE 6:33'],
    ],
    ['no arcs', next('{ spec: {} }'), ['NOETL_REQUIRED 6:11']],
    ['arcs that are a mapping', next('{ arcs: { step: end } }'), ['NOETL_TYPE 6:19']],
    ['an arc that is text', next('{ arcs: [end] }'), ['NOETL_TYPE 6:20']],
    ['an arc without step', next('{ arcs: [{ when: true }] }'), ['NOETL_REQUIRED 6:20']],
    ['an arc with an unknown key', next('{ arcs: [{ step: end, if: true }] }'), ['NOETL_KEY_UNKNOWN 6:33']],
    ['an arc with set', next('{ arcs: [{ step: end, set: {} }] }'), ['NOETL_LEGACY 6:33']],
    ['an unknown mode', next('{ spec: { mode: all }, arcs: [] }'), ['NOETL_VALUE 6:27']],
    ['an unknown on_failure', next('{ spec: { on_failure: none }, arcs: [] }'), ['NOETL_VALUE 6:33']],
    ['args that are a list', next('{ arcs: [{ step: end, args: [1] }] }'), ['NOETL_TYPE 6:39']],
    ['args that a template makes', next('{ arcs: [{ step: end, args: "{{ ctx }}" }] }'), []],
    ['an arc to an unknown step', next('{ arcs: [{ step: strat }] }'), ['NOETL_ARC_TARGET_UNKNOWN 6:28']],
    ['an arc to an undefined end', next('{ arcs: [{ step: end }] }'), []],
  ]);

  it('proposes the step that was meant', () => {
    expect(complaint(next('{ arcs: [{ step: strat }] }'))).toBe(
      "the step 'strat' does not exist in this workflow | Did you mean 'start'?",
    );
    expect(complaint(next('{ arcs: [{ step: other }] }'))).toBe(
      "the step 'other' does not exist in this workflow | Its steps are: start.",
    );
  });

  it('defaults to exclusive routing that leaves failures to arcs that read event', () => {
    expect(playbookOf(next('{ arcs: [] }')).workflow[0]?.router).toEqual({
      mode: 'exclusive',
      onFailure: 'event',
      arcs: [],
    });
  });
});
