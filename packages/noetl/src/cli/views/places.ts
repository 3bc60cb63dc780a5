import type { Place, Playbook } from '@noetl/playbook';
import { visible } from './visible.ts';

/** Where the steps, tasks and arcs of a playbook stand. */
export interface Places {
  readonly file: string;
  /** Of the task, or of the arc by its index; else of the step; undefined if the playbook does not have the step. */
  find(
    step: string,
    part?: { readonly label?: string | undefined; readonly arc?: number | undefined },
  ): Place | undefined;
}

export function placesOf(playbook: Playbook, file: string): Places {
  const steps = new Map(playbook.workflow.map((step) => [step.name, step]));
  return {
    file,
    find(name, { label, arc } = {}) {
      const step = steps.get(name);
      const task = label === undefined ? undefined : step?.tasks.find((task) => task.label === label);
      return task?.place ?? (arc === undefined ? undefined : step?.router?.arcs[arc]?.place) ?? step?.place;
    },
  };
}

/** `etl.yaml:41:9` */
export const placeText = (file: string, { line, column }: Place): string => `${visible(file)}:${line}:${column}`;
