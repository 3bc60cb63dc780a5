import { describe, expect, it } from 'vitest';
import { migratedSteps } from './flow/flow.testing.ts';

describe('MIG-1 steps with the same name', () => {
  it('of which the last one ran: the others are called otherwise, and the author is told', () => {
    const { steps, rules, problems } = migratedSteps(`
      - step: start
        tool: { kind: noop, result: 1 }
        next: { arcs: [{ step: end }] }
      - step: end # never
        tool: { kind: noop, result: 2 }
      - step: end
        tool: { kind: noop, result: 3 }
    `);
    expect(steps).toContain('- step: end_before_1 # never\n');
    expect(steps).toContain('- step: end\n');
    expect({ rules, problems }).toEqual({ rules: ['step-twice?'], problems: [] });
    expect(migratedSteps(steps).rules).toEqual([]);
  });
});
