import { readFileSync } from 'node:fs';
import { KEYCHAIN_SCHEMAS, readPlaybook } from '@noetl/playbook';
import { describe, expect, it } from 'vitest';
import { PROVIDERS } from './secret-providers.ts';
import { STORED_KINDS } from './stored-kinds.ts';

const read = (page: string) => readFileSync(new URL(`../../../../docs/${page}`, import.meta.url), 'utf8');
const reference = read('reference/keychain.md');
const sections = new Map(
  reference.split(/^## /m).map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
);

describe('the reference of the keychain', () => {
  it.each(Object.keys(KEYCHAIN_SCHEMAS))('names every field of %s, and no other', (kind) => {
    const [fields = ''] = (sections.get(kind) ?? '').split(/^\| provider/m);
    const named = [...fields.matchAll(/^\| `(\w+)` \|/gm)].map(([, field]) => field);
    expect(named).toEqual(Object.keys(KEYCHAIN_SCHEMAS[kind]?.fields ?? {}));
  });

  it('names every provider', () => {
    const [, providers = ''] = (sections.get('secret_manager') ?? '').split(/^\| provider/m);
    expect([...providers.matchAll(/^\| `(\w+)` \|/gm)].map(([, provider]) => provider)).toEqual([...PROVIDERS]);
    expect(KEYCHAIN_SCHEMAS.secret_manager?.fields.provider?.values).toEqual(PROVIDERS);
  });

  it.each([...reference.matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml = '']) => [yaml] as const))(
    'shows what is valid: %s',
    (yaml) => {
      const above = '- { name: client_secret, kind: secret_manager }\n- { name: key, kind: secret_manager }\n';
      const { diagnostics } = readPlaybook(
        `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: p }\nkeychain:\n${above}${yaml}\nworkflow: [{ step: start, tool: { kind: noop } }]\n`,
        { file: 'page.yaml' },
      );
      expect(diagnostics).toEqual([]);
    },
  );
});

describe('the guide of credentials', () => {
  it.each(Object.entries(STORED_KINDS))('names every field of the stored kind %s', (kind, { fields }) => {
    const row = new RegExp(`^\\| \`${kind}\` \\|.*$`, 'm').exec(read('guides/credentials.md'))?.[0] ?? '';
    expect(row).not.toBe('');
    expect(Object.keys(fields ?? {}).filter((field) => !row.includes(`\`${field}\``))).toEqual([]);
  });
});
