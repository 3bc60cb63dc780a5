import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const page = readFileSync(new URL('../../../../docs/reference/traces.md', import.meta.url), 'utf8');
const sources = readdirSync(new URL('.', import.meta.url))
  .filter((name) => name.endsWith('.ts') && !/\.(test|testing)\.ts$/.test(name))
  .map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'))
  .join('\n');

const NAME = String.raw`(?:noetl|http|url|server|db|exception|error)\.[a-z_]+(?:\.[a-z_]+)*`;
const namesIn = (text: string, quote: string): readonly string[] =>
  [...new Set([...text.matchAll(new RegExp(`${quote}(${NAME})${quote}`, 'g'))].map(([, name = '']) => name))].sort();

describe('the page on traces', () => {
  it('lists every attribute that spans and their events have, and no other', () => {
    expect(namesIn(page, '`')).toEqual(namesIn(sources, "'"));
  });

  it('lists every event of spans', () => {
    const events = [...sources.matchAll(/note\(\s*[\w.]+,\s*'([a-z ]+)'/g)].map(([, name]) => name);
    expect(events.length).toBeGreaterThan(8);
    for (const name of events) expect(page).toContain(`\`${name}\``);
  });

  it('lists every variable that is read', () => {
    const read = [...sources.matchAll(/\b(OTEL_[A-Z_]*[A-Z])(?!\$|_\$)\b/g)].map(([, name = '']) => name);
    const own = [...sources.matchAll(/own\('([A-Z]+)'\)/g)].map(([, name]) => `OTEL_EXPORTER_OTLP_${name}`);
    for (const name of new Set([...read, ...own])) {
      if (!/^OTEL_EXPORTER_OTLP(_TRACES)?$/.test(name)) expect(page, name).toContain(`\`${name}\``);
    }
  });
});
