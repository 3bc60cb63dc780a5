import { ok } from './answer.ts';
import { defineTool } from './define-tool.ts';

export const noopTool = defineTool({
  kind: 'noop',
  run: async ({ input }) => ok(input.result ?? null),
});
