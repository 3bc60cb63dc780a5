/** What a document may be, before anything is made of it. */
export const YAML_LIMITS = {
  /** Bytes of UTF-8. */
  size: 1_048_576,
  /** A playbook has a tenth of these; a file of nothing but line breaks would have a million. */
  lines: 100_000,
  /** Levels of lists and mappings. */
  depth: 100,
  /** Values, those behind aliases counted at every use. */
  nodes: 100_000,
  /** Characters that aliases repeat, as if they were written out at every use. */
  repeated: 1_048_576,
} as const;
