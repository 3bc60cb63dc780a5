import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Json } from '@noetl/playbook';
import { failed } from './answer.ts';
import { textOf } from './checked-fields.ts';
import { defineTool, type Tool } from './define-tool.ts';
import { processAnswer } from './process/process-answer.ts';
import type { ProcessGroups } from './process/process-groups.ts';
import { folderOf, variablesOf } from './shell.ts';

/** A script by its interpreter. An inline script is a file of its own while it runs. */
export const scriptTool = (groups: ProcessGroups, outputLimit: number): Tool =>
  defineTool({
    kind: 'script',
    run: async (call, context) => {
      const { input, task } = call;
      const run = (file: string) =>
        processAnswer(
          groups,
          {
            program: typeof input.interpreter === 'string' ? input.interpreter : 'sh',
            args: [file, ...((input.argv ?? []) as readonly Json[]).map(textOf)],
            env: variablesOf(input),
            cwd: folderOf(input, context.folder),
            stdin: textOf(input.stdin ?? null),
            outputLimit,
          },
          call,
          context,
        );
      if (typeof input.inline === 'string') return withFile(input.inline, run);
      const file = resolve(context.folder, textOf(input.file ?? null));
      if (await exists(file)) return run(file);
      return failed('task.field', `'file' of the task '${task.label}': there is no file '${file}'.`, {
        details: { field: 'file' },
      });
    },
  });

async function withFile<T>(text: string, body: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'noetl-script-'));
  try {
    const file = join(folder, 'script');
    await writeFile(file, text, { mode: 0o700 });
    return await body(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
