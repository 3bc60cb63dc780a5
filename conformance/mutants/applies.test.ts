import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { HTTP_MUTANTS } from './http-table.ts';
import { LEASE_MUTANTS } from './lease-table.ts';
import { SIMULATION_MUTANTS } from './simulation-table.ts';
import { SQL_MUTANTS } from './sql-table.ts';
import { MUTANTS } from './table.ts';
import { TRACE_MUTANTS } from './trace-table.ts';

const ROOT = new URL('../../', import.meta.url);

it.each([...MUTANTS, ...SIMULATION_MUTANTS, ...LEASE_MUTANTS, ...SQL_MUTANTS, ...HTTP_MUTANTS, ...TRACE_MUTANTS])(
  'the mutant of "$breaks" applies to $file as it is',
  ({ file, from }) => {
    expect(readFileSync(fileURLToPath(new URL(file, ROOT)), 'utf8')).toContain(from);
  },
);
