import { describe, expect, it } from 'vitest';
import { createRegistry } from './registry.ts';

const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '' && line[0] !== '#');

describe('the registry of metrics', () => {
  it('writes the text format of Prometheus', () => {
    const registry = createRegistry();
    const doors = registry.counter('doors_total', 'Doors that were opened.', ['room']);
    registry.gauge('heat', 'How warm it is.', () => [{ amount: 21.5 }]);
    doors.add(['hall']);
    doors.add(['hall'], 2);
    expect(registry.text()).toBe(
      `# HELP doors_total Doors that were opened.
# TYPE doors_total counter
doors_total{room="hall"} 3
# HELP heat How warm it is.
# TYPE heat gauge
heat 21.5
`,
    );
  });

  it('counts an amount in every bucket that it fits into', () => {
    const registry = createRegistry();
    const waits = registry.histogram('wait_seconds', 'Waits.', [0.1, 1], ['of']);
    for (const amount of [0.1, 0.5, 7]) waits.observe(amount, ['tea']);
    expect(linesOf(registry.text())).toEqual([
      'wait_seconds_bucket{of="tea",le="0.1"} 1',
      'wait_seconds_bucket{of="tea",le="1"} 2',
      'wait_seconds_bucket{of="tea",le="+Inf"} 3',
      'wait_seconds_sum{of="tea"} 7.6',
      'wait_seconds_count{of="tea"} 3',
    ]);
  });

  it('shows what has no labels before anything happened', () => {
    const registry = createRegistry();
    registry.counter('doors_total', 'Doors.');
    registry.histogram('wait_seconds', 'Waits.', []);
    expect(linesOf(registry.text())).toEqual([
      'doors_total 0',
      'wait_seconds_bucket{le="+Inf"} 0',
      'wait_seconds_sum 0',
      'wait_seconds_count 0',
    ]);
  });

  it('lets no value of a label end its line or its quotes', () => {
    const registry = createRegistry();
    registry.counter('doors_total', 'Doors.', ['room']).add(['a"b\\c\nd']);
    expect(linesOf(registry.text())).toEqual(['doors_total{room="a\\"b\\\\c\\nd"} 1']);
  });

  it('has a bounded number of series, and loses no count', () => {
    const registry = createRegistry();
    const doors = registry.counter('doors_total', 'Doors.', ['room', 'floor']);
    for (let room = 0; room < 5_000; room++) doors.add([`${room}`, '1']);
    const lines = linesOf(registry.text());
    expect(lines).toHaveLength(1_000);
    expect(lines.at(-1)).toBe('doors_total{room="other",floor="other"} 4001');
  });
});
