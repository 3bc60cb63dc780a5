import { etlStarter } from './etl.ts';
import { httpStarter } from './http.ts';
import { loopStarter } from './loop.ts';
import { paginationStarter } from './pagination.ts';

/** The playbooks to start from, by the name of their template. */
export const STARTERS = {
  http: httpStarter,
  etl: etlStarter,
  loop: loopStarter,
  pagination: paginationStarter,
} as const;
