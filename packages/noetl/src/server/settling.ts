/** Who waits until nothing is under way any more. */
export interface Settling {
  /** Once there is nothing; fails if something was given up. */
  settled(): Promise<void>;
  /** Something is not under way any more. */
  look(): void;
  givenUp(reason: unknown): void;
}

export function createSettling(underWay: () => number): Settling {
  const waiting: { readonly resolve: () => void; readonly reject: (reason: unknown) => void }[] = [];
  let failed: { readonly reason: unknown } | undefined;

  function look(): void {
    if (underWay() > 0) return;
    for (const { resolve, reject } of waiting.splice(0)) {
      if (failed === undefined) resolve();
      else reject(failed.reason);
    }
  }

  return {
    settled: () =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        look();
      }),
    look,
    givenUp(reason) {
      failed ??= { reason };
      look();
    },
  };
}
