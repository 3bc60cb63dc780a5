/** Files beside a playbook that it names, as they travel to another machine. */
export interface PlaybookFiles {
  /** The folder of the playbook itself, among the files. */
  readonly at: string;
  /** Whether playbooks of older dialects among them are upgraded (MIG-2). */
  readonly legacy: boolean;
  readonly entries: readonly PlaybookFile[];
}

interface PlaybookFile {
  /** Below the folder of them all. */
  readonly path: string;
  /** In base64. */
  readonly content: string;
  readonly executable: boolean;
}
