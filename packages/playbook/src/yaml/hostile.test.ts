import { describe, expect, it } from 'vitest';
import { readPlaybook } from '../read-playbook.ts';
import { HOSTILE_DOCUMENTS } from './hostile-documents.testing.ts';

/** 50 ms on a quiet machine; tests run beside others. */
const GENEROUS_MS = 10_000;

describe('DOC-13: a hostile document gets a diagnostic at once', () => {
  it.each(Object.entries(HOSTILE_DOCUMENTS))('%s', (_name, make) => {
    const text = make();
    const started = performance.now();
    const { playbook, diagnostics } = readPlaybook(text, { file: 'hostile.yaml' });
    expect(performance.now() - started).toBeLessThan(GENEROUS_MS);
    expect(playbook).toBeUndefined();
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(diagnostics.length).toBeLessThan(1_100);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it.each<[string, string]>([
    ['nested lists', 'NOETL_YAML_LIMIT'],
    ['nested mappings', 'NOETL_YAML_LIMIT'],
    ['nested items', 'NOETL_YAML_LIMIT'],
    ['nested blocks', 'NOETL_YAML_LIMIT'],
    ['alias bomb', 'NOETL_YAML_LIMIT'],
    ['nesting by aliases', 'NOETL_YAML_LIMIT'],
    ['a long template behind aliases', 'NOETL_YAML_LIMIT'],
    ['a long template of known names behind aliases', 'NOETL_YAML_LIMIT'],
    ['a long text behind aliases', 'NOETL_YAML_LIMIT'],
    ['a hundred templates behind aliases', 'NOETL_YAML_LIMIT'],
    ['a long task behind aliases', 'NOETL_YAML_LIMIT'],
    ['more than 1 MiB', 'NOETL_YAML_LIMIT'],
    ['many values', 'NOETL_YAML_LIMIT'],
    ['many flow values', 'NOETL_YAML_LIMIT'],
    ['blank lines', 'NOETL_YAML_LIMIT'],
    ['a block of many lines', 'NOETL_YAML_LIMIT'],
    ['duplicate keys', 'NOETL_YAML_DUPLICATE_KEY'],
    ['__proto__', 'NOETL_YAML_UNSUPPORTED'],
    ['a tag', 'NOETL_YAML_UNSUPPORTED'],
    ['2^53 + 1', 'NOETL_YAML_NUMBER'],
    ['not a number', 'NOETL_YAML_NUMBER'],
    ['NUL', 'NOETL_YAML_ENCODING'],
    ['a lone surrogate', 'NOETL_YAML_ENCODING'],
  ])('%s is %s', (name, code) => {
    const { diagnostics } = readPlaybook(HOSTILE_DOCUMENTS[name]?.() ?? '', { file: 'hostile.yaml' });
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toContain(code);
  });

  it('ten times ten thousand open brackets do no harm', () => {
    for (let i = 0; i < 10; i++) {
      const { diagnostics } = readPlaybook('['.repeat(10_000), { file: 'hostile.yaml' });
      expect(diagnostics.map(({ code, line, column }) => `${code} ${line}:${column}`)).toEqual([
        'NOETL_YAML_LIMIT 1:101',
      ]);
    }
  });
});
