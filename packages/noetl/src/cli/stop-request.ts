import type { Machine, StopSignal } from './machine.ts';

/** Resolves once somebody wants the program to stop. */
export function stopRequest(machine: Machine): { readonly requested: Promise<StopSignal>; forget(): void } {
  let forget: () => void = () => undefined;
  const requested = new Promise<StopSignal>((resolve) => {
    forget = machine.onStop(resolve);
  });
  return { requested, forget };
}
