import { etlStarter } from './etl.ts';
import { httpStarter } from './http.ts';
import { loopStarter } from './loop.ts';
import { paginationStarter } from './pagination.ts';

/** Playbooks to start from: each makes the text of a file from the name of the playbook, quoted for YAML if need be. */
export const STARTERS = {
  http: httpStarter,
  etl: etlStarter,
  loop: loopStarter,
  pagination: paginationStarter,
} as const;
