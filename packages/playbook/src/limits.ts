/** SPEC section 9, as far as a document is concerned. */
export const DOCUMENT_LIMITS = {
  steps: 1_000,
  tasksPerStep: 200,
} as const;
