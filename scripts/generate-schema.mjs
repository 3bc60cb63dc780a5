// `npm run generate:schema`: writes schema/playbook.json, which editors read, from the language itself.

import { mkdirSync, writeFileSync } from 'node:fs';
import { playbookSchema } from '@noetl/playbook';

const file = new URL('../schema/playbook.json', import.meta.url);
mkdirSync(new URL('.', file), { recursive: true });
writeFileSync(file, `${JSON.stringify(playbookSchema(), null, 2)}\n`);
