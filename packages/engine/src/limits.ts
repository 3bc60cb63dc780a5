/** SPEC §9, as far as the core keeps them. */
export interface EngineLimits {
  readonly loopItems: number;
  /** Bytes of ctx as JSON. */
  readonly ctx: number;
  /** Jumps in one pipeline. */
  readonly jumps: number;
  readonly stepRuns: number;
  readonly childDepth: number;
  /** Takeovers of one piece of work by another worker. */
  readonly takeovers: number;
  /** Events of one decision; what is still owed then is decided next, so that a cycle without work cannot block. */
  readonly eventsPerDecision: number;
}

export const DEFAULT_ENGINE_LIMITS: EngineLimits = {
  loopItems: 1_000_000,
  ctx: 1024 * 1024,
  jumps: 10_000,
  stepRuns: 100_000,
  childDepth: 10,
  takeovers: 10,
  eventsPerDecision: 500,
};
