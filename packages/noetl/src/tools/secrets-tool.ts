import { failed, ok } from './answer.ts';
import { defineTool } from './define-tool.ts';

/** TOOL-2: makes sure that secrets can be had while the playbook runs. Its result names them, and never holds them. */
export const secretsTool = defineTool({
  kind: 'secrets',
  run: async ({ input, task }, { credentials }) => {
    const { provider, key, map } = input;
    const issued = await credentials?.issue({
      ...(provider === undefined ? {} : { provider }),
      ...(key === undefined ? {} : { key }),
      ...(map === undefined ? {} : { map }),
    });
    if (issued !== undefined && 'handle' in issued) return ok(issued.handle);
    const { problem, passing } = issued ?? { problem: 'is of no use here.', passing: false };
    return failed('secret.unresolved', `the task '${task.label}' ${problem}`, { retryable: passing });
  },
});
