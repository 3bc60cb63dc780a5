import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Audit } from './audit.ts';

/** What every audit log promises. */
export function auditContract(
  name: string,
  open: () => Promise<{ readonly audit: Audit; close(): Promise<void> }>,
): void {
  describe(`audit log: ${name}`, () => {
    let audit: Audit;
    let close: () => Promise<void>;
    beforeEach(async () => {
      ({ audit, close } = await open());
    });
    afterEach(() => close());

    it('keeps what is noted, and gives it newest first, in pages', async () => {
      expect(await audit.list(undefined, 10)).toEqual([]);
      await audit.note([
        { at: 1, by: 'ada', from: undefined, what: 'noetl token create ci', status: undefined },
        { at: 2, by: 'ci', from: '10.0.0.7', what: 'POST /api/executions', status: 201 },
      ]);
      await audit.note([{ at: 3, by: 'ci', from: '::1', what: 'POST /api/catalog', status: 403 }]);
      const page = await audit.list(undefined, 2);
      expect(page.map(({ number, by, from, status }) => [number, by, from, status])).toEqual([
        [3, 'ci', '::1', 403],
        [2, 'ci', '10.0.0.7', 201],
      ]);
      expect(await audit.list(2, 10)).toEqual([
        { number: 1, at: 1, by: 'ada', from: undefined, what: 'noetl token create ci', status: undefined },
      ]);
    });
  });
}
