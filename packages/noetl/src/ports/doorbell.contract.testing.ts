import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Doorbell } from './doorbell.ts';

/** A doorbell under test: two ends of it, which may be the same. */
export interface OpenedDoorbell {
  readonly ringer: Doorbell;
  readonly listener: Doorbell;
  close(): Promise<void>;
}

/** What every doorbell promises, and that rings do arrive while nothing is in their way. */
export function doorbellContract(name: string, open: () => Promise<OpenedDoorbell>): void {
  describe(`the doorbell (${name})`, () => {
    let opened: OpenedDoorbell;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    /** Rings until somebody has heard it: a ring may be lost while a listener is being set up. */
    const ringUntil = async (topic: string, heard: () => boolean): Promise<void> => {
      await vi.waitFor(
        () => {
          opened.ringer.ring(topic);
          return sleep(5).then(() => expect(heard()).toBe(true));
        },
        { timeout: 10_000, interval: 20 },
      );
    };

    it('reaches everyone who listens to the topic', async () => {
      const heard = new Set<string>();
      const ends = ['one', 'two'].map((who) => opened.listener.listen('all', () => heard.add(who)));
      await ringUntil('all', () => heard.size === 2);
      for (const end of ends) end();
    });

    it('calls nobody before the ring is over', async () => {
      let calls = 0;
      const end = opened.listener.listen('later', () => {
        calls++;
      });
      await ringUntil('later', () => calls > 0);
      const before = calls;
      opened.ringer.ring('later');
      expect(calls).toBe(before);
      end();
    });

    it('is not heard under another topic', async () => {
      const heard: string[] = [];
      const topics = ['pool.a', 'pool', 'pool.*', 'pool.>', 'pool a', 'POOL.A', ''];
      const ends = topics.map((topic) => opened.listener.listen(topic, () => heard.push(topic)));
      for (const topic of topics) {
        await ringUntil(topic, () => heard.includes(topic));
        await sleep(20);
        expect(new Set(heard)).toEqual(new Set([topic]));
        heard.length = 0;
      }
      for (const end of ends) end();
    });

    it('is not heard any more by who has left, while others still hear it', async () => {
      const heard: string[] = [];
      const listen = (who: string) => opened.listener.listen('leave', () => heard.push(who));
      const [leave, stay] = [listen('left'), listen('stayed')];
      await ringUntil('leave', () => new Set(heard).size === 2);
      await sleep(20);
      heard.length = 0;
      leave();
      leave();
      await ringUntil('leave', () => heard.includes('stayed'));
      expect(heard).not.toContain('left');
      stay();
    });

    it('may be rung where nobody listens', () => {
      expect(() => opened.ringer.ring('nobody')).not.toThrow();
    });

    it('may be rung and left by who is rung', async () => {
      let calls = 0;
      const end = opened.listener.listen('again', () => {
        calls++;
        if (calls < 3) opened.ringer.ring('again');
        else end();
      });
      await ringUntil('again', () => calls === 3);
      opened.ringer.ring('again');
      await sleep(20);
      expect(calls).toBe(3);
    });
  });
}
