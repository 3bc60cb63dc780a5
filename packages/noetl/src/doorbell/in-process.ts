import type { Doorbell } from '../ports/doorbell.ts';

/** Rings within the process. Rings of a topic that come before its listeners have run are one ring. */
export function createInProcessDoorbell(): Doorbell {
  const listeners = new Map<string, Set<() => void>>();
  const ringing = new Set<string>();

  function call(topic: string): void {
    ringing.delete(topic);
    for (const callback of listeners.get(topic) ?? []) callback();
  }

  return {
    ring(topic) {
      if (ringing.has(topic) || !listeners.has(topic)) return;
      ringing.add(topic);
      queueMicrotask(() => call(topic));
    },
    listen(topic, callback) {
      // The same function may listen twice; each has its own end.
      const listener = () => callback();
      const others = listeners.get(topic);
      if (others === undefined) listeners.set(topic, new Set([listener]));
      else others.add(listener);
      return () => {
        const all = listeners.get(topic);
        all?.delete(listener);
        if (all?.size === 0) listeners.delete(topic);
      };
    },
  };
}
