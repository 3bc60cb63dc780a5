import { playbookSchema } from '@noetl/playbook';
import type { Terminal } from '../terminal.ts';

/** `noetl schema`: prints the JSON Schema of playbooks (DOC-12). */
export function schema({ json }: { readonly json: boolean }, terminal: Terminal): void {
  terminal.print(`${JSON.stringify(playbookSchema(), null, json ? 0 : 2)}\n`);
}
