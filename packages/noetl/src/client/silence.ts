/** A connection may be dead without saying so: nothing was heard for too long. */
export class Silence extends Error {
  constructor(milliseconds: number) {
    super(`nothing was heard of it for ${milliseconds / 1000} s.`);
    this.name = 'Silence';
  }
}

/** What the action gives, unless that takes too long; then its signal is aborted, as it is with the other. */
export async function heardWithin<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const hangUp = new AbortController();
  const forward = (): void => hangUp.abort(signal?.reason);
  if (signal?.aborted) forward();
  signal?.addEventListener('abort', forward, { once: true });
  const timer = setTimeout(() => hangUp.abort(new Silence(milliseconds)), milliseconds);
  try {
    return await action(hangUp.signal);
  } catch (error) {
    throw hangUp.signal.reason instanceof Silence ? hangUp.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', forward);
  }
}

/** The same bytes; whoever waits for the next for too long gets a Silence. How long it takes to use them is not counted. */
export function heardStream(stream: ReadableStream<Uint8Array>, milliseconds: number): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  const hangUp = (reason?: unknown): Promise<void> => reader.cancel(reason).catch(() => undefined);
  return new ReadableStream(
    {
      async pull(controller) {
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(new Silence(milliseconds)), milliseconds);
        });
        try {
          const { done, value } = await Promise.race([reader.read(), late]);
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(error);
          void hangUp(error);
        } finally {
          clearTimeout(timer);
        }
      },
      cancel: hangUp,
    },
    { highWaterMark: 0 },
  );
}
