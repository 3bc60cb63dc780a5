// `npm run generate:reference`: writes the tables of fields in docs/reference/tools.md from the schemas of the kinds, and
// those of old and new in docs/guides/moving-from-noetl.md from the rules of the migration.

import { readFileSync, writeFileSync } from 'node:fs';
import { withFieldTables } from '../packages/noetl/src/tools/field-tables.testing.ts';
import { withRuleTables } from '../packages/playbook/src/migrate/rules/rule-table.testing.ts';

const PAGES = { 'reference/tools.md': withFieldTables, 'guides/moving-from-noetl.md': withRuleTables };

for (const [page, withTables] of Object.entries(PAGES)) {
  const file = new URL(`../docs/${page}`, import.meta.url);
  writeFileSync(file, withTables(readFileSync(file, 'utf8')));
}
