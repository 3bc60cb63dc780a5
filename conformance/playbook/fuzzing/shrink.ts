const MAX_ATTEMPTS = 2_000;
const MAX_MS = 20_000;

/** Takes stretches out of a failing document while it still fails, long ones first. */
export function shrinkDocument(text: string, fails: (candidate: string) => boolean): string {
  const deadline = performance.now() + MAX_MS;
  let attempts = 0;
  let current = text;
  for (let length = Math.ceil(current.length / 2); length >= 1; ) {
    let shrunk = false;
    for (let at = 0; at < current.length; at += length) {
      if (++attempts > MAX_ATTEMPTS || performance.now() > deadline) return current;
      const candidate = current.slice(0, at) + current.slice(at + length);
      if (!fails(candidate)) continue;
      current = candidate;
      shrunk = true;
      break;
    }
    if (!shrunk) length = length === 1 ? 0 : Math.ceil(length / 2);
  }
  return current;
}
