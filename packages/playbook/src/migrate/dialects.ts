/** The forms of the language, newest first. */
export const DIALECTS = ['v10', 'public-names', 'eval-002', 'case-003', 'v1-004', 'tool-string'] as const;

export type Dialect = (typeof DIALECTS)[number];
