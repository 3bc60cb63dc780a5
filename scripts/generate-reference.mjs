// `npm run generate:reference`: writes the tables of fields in docs/reference/tools.md from the schemas of the kinds.

import { readFileSync, writeFileSync } from 'node:fs';
import { withFieldTables } from '../packages/noetl/src/tools/field-tables.testing.ts';

const file = new URL('../docs/reference/tools.md', import.meta.url);
writeFileSync(file, withFieldTables(readFileSync(file, 'utf8')));
