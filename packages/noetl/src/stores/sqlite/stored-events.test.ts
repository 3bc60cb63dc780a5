import { describe, expect, it } from 'vitest';
import { note, requested } from '../../ports/sample-events.testing.ts';
import { eventsIn } from './stored-events.ts';

const EVENTS = [requested('e', 1, 'p'), note('e', 2), note('e', 3)];
const TEXTS = EVENTS.map((event) => JSON.stringify(event));

describe('the texts of events in the file', () => {
  it('are read as they were written', () => {
    expect(eventsIn('e', TEXTS.join(',\n'))).toEqual(EVENTS);
    expect(eventsIn('e', '')).toEqual([]);
  });

  it.each([
    ['is no JSON', (text: string) => text.replace('"name":', '"name"#')],
    ['has lost its payload', (text: string) => text.replace('"payload"', '"payloax"')],
    ['has a name that is none', (text: string) => text.replace(/"name":"[^"]*"/, '"name":7')],
  ])('name the execution and the event of one that %s', (_what, damage) => {
    const texts = TEXTS.map((text, index) => (index === 2 ? damage(text) : text)).join(',\n');
    expect(() => eventsIn('e', texts)).toThrow(
      expect.objectContaining({
        code: 'NOETL_STORE_CORRUPT',
        message: "the event behind event 2 of the execution 'e' is damaged. What is wrong: noetl exec verify e",
      }),
    );
  });
});
