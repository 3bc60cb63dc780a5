/**
 * Says that there may be work; it carries no work itself. A ring may be lost, doubled, merged with another or late: who
 * waits also looks by itself from time to time, and who is rung finds out in the log whether there is anything to do.
 */
export interface Doorbell {
  /** Rings for everyone who listens to the topic, which may be any text. Nobody is called before `ring` has returned. */
  ring(topic: string): void;
  /** Calls back for rings of the topic until the returned function is called. */
  listen(topic: string, callback: () => void): () => void;
}
