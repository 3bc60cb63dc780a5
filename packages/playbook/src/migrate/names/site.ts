/** Where a template stands once it is translated: that decides what older names in it mean. */
export type Site =
  | PolicySite
  /** Conditions and args of the arcs out of a step; `failed`: of those that are taken after a failure alone. */
  | { readonly at: 'arcs'; readonly step: string; readonly failed?: boolean | undefined }
  /** A task behind the one whose result is meant: what a sink was. */
  | { readonly at: 'following'; readonly step: string; readonly kind?: string | undefined }
  /** Fields and args of a task; `before`: the tasks in front of it in its pipeline. */
  | { readonly at: 'task'; readonly step: string; readonly before?: readonly TaskBefore[] | undefined }
  | { readonly at: 'loop'; readonly step: string }
  | { readonly at: 'admission'; readonly step: string }
  /** Workload, keychain, workbook; `key`: the key whose value it is. */
  | { readonly at: 'root'; readonly key?: string | undefined };

/** The rules of a task. */
export interface PolicySite {
  readonly at: 'policy';
  readonly step: string;
  /** That of the task, where it is not the one whose result is the step's. */
  readonly kind?: string | undefined;
  /** The tasks in front of it in its pipeline. */
  readonly before?: readonly TaskBefore[] | undefined;
  /** What `max_attempts` stands for. */
  readonly maxAttempts?: number | string | undefined;
}

export interface TaskBefore {
  readonly label: string;
  readonly kind: string | undefined;
  /** Where its result is kept for the tasks after it. */
  readonly home?: { readonly scope: 'ctx' | 'iter'; readonly key: string } | undefined;
}

export const stepOf = (site: Site): string | undefined => (site.at === 'root' ? undefined : site.step);
