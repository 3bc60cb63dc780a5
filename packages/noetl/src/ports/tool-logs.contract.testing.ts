import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LogLine, TOOL_LOG_LIMIT, type ToolLogs } from './tool-logs.ts';

/** Tool logs under test; nothing is in them. */
export interface OpenedToolLogs {
  readonly logs: ToolLogs;
  close(): Promise<void>;
}

const line = (text: string, more: Partial<LogLine> = {}): LogLine => ({
  execution: 'a',
  taskRun: 'a:1:fetch:1',
  attempt: 1,
  stream: 'stdout',
  at: 7,
  text,
  ...more,
});

/** What every store promises about what tools print. */
export function toolLogsContract(name: string, open: () => Promise<OpenedToolLogs>): void {
  describe(`the tool logs (${name})`, () => {
    let opened: OpenedToolLogs;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());
    const texts = async (filter: Partial<Parameters<ToolLogs['read']>[0]> = {}, after = 0, limit = 99) =>
      (await opened.logs.read({ execution: 'a', ...filter }, after, limit)).map(({ text }) => text);

    it('keep lines as they came, whatever is in them', async () => {
      const lines = [line('one'), line(''), line('\u0000 \ud800 \u001b[31m "\\ 𝄞', { stream: 'stderr' })];
      await opened.logs.append(lines);
      const kept = await opened.logs.read({ execution: 'a' }, 0, 9);
      expect(kept).toEqual(lines.map((each) => ({ ...each, id: expect.any(Number) })));
    });

    it('are read in pages', async () => {
      await opened.logs.append(['1', '2', '3'].map((text) => line(text)));
      const [, second] = await opened.logs.read({ execution: 'a' }, 0, 2);
      expect(await texts({}, second?.id)).toEqual(['3']);
      expect(await texts({}, 0, 1)).toEqual(['1']);
      expect(await texts({}, 999)).toEqual([]);
    });

    it('are read by execution, task run, attempt and stream', async () => {
      await opened.logs.append([
        line('1'),
        line('2', { execution: 'b' }),
        line('3', { taskRun: 'a:2:fetch:1' }),
        line('4', { attempt: 2 }),
        line('5', { stream: 'stderr' }),
        line('6', { attempt: 2, stream: 'stderr' }),
      ]);
      expect(await texts()).toEqual(['1', '3', '4', '5', '6']);
      expect(await texts({ taskRun: 'a:1:fetch:1' })).toEqual(['1', '4', '5', '6']);
      expect(await texts({ attempt: 2 })).toEqual(['4', '6']);
      expect(await texts({ stream: 'stderr' })).toEqual(['5', '6']);
      expect(await texts({ taskRun: 'a:1:fetch:1', attempt: 1, stream: 'stdout' })).toEqual(['1']);
      expect(await texts({ execution: 'c' })).toEqual([]);
    });

    it('keep so much of an attempt and no more, and say so once', async () => {
      const half = 'x'.repeat(TOOL_LOG_LIMIT / 2);
      await opened.logs.append([line(half), line(half), line('more')]);
      await opened.logs.append([line('still more'), line('another attempt', { attempt: 2 })]);
      const [first, second, end, ...others] = await opened.logs.read({ execution: 'a' }, 0, 9);
      expect(first?.text).toBe(half);
      expect(second?.text).toBe(half.slice(1));
      expect(end).toMatchObject({ stream: 'noetl', text: expect.stringContaining(`${TOOL_LOG_LIMIT} characters`) });
      expect(others.map(({ text }) => text)).toEqual(['another attempt']);
    });

    it('count empty lines too', async () => {
      await opened.logs.append([line('x'.repeat(TOOL_LOG_LIMIT - 3)), line(''), line(''), line(''), line('')]);
      expect((await opened.logs.read({ execution: 'a' }, 0, 9)).map(({ stream }) => stream)).toEqual([
        'stdout',
        'stdout',
        'stdout',
        'noetl',
      ]);
    });
  });
}
