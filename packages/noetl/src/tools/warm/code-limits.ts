import type { JsonMap } from '@noetl/playbook';
import { failed } from '../answer.ts';
import { isMap } from '../checked-fields.ts';
import type { ToolAnswer } from '../define-tool.ts';
import type { ToolLimits } from '../tool-host.ts';

/** What the code of one task may use; how long it may take is the timeout's to say. */
export interface CodeLimits {
  readonly memoryBytes: number;
  /** Seconds of CPU time; none where it is left open. */
  readonly cpuSeconds: number | undefined;
}

const MIB = 1024 * 1024;

/** `spec.limits: {memory, cpu}`, in MiB and seconds. */
export function codeLimitsOf({ limits }: JsonMap, { memoryBytes }: Pick<ToolLimits, 'memoryBytes'>): CodeLimits {
  const { memory, cpu } = isMap(limits) ? limits : {};
  return {
    memoryBytes: typeof memory === 'number' ? Math.ceil(memory * MIB) : memoryBytes,
    cpuSeconds: typeof cpu === 'number' ? cpu : undefined,
  };
}

export const overCpu = (kind: 'python.cpu' | 'javascript.cpu', label: string, seconds: number): ToolAnswer =>
  failed(
    kind,
    `the code of the task '${label}' was stopped: it used more than ${seconds} s of CPU time, which spec.limits.cpu allows.`,
    { details: { cpu: seconds } },
  );
