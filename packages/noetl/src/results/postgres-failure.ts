import { StoreError } from '../ports/store-error.ts';

const codeOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
};

/** Nobody has put anything there yet. */
export const isNoTable = (error: unknown): boolean => ['42P01', '3F000'].includes(codeOf(error));

/** A failure of PostgreSQL as users may read it: what happened where, and what to do. */
export function postgresFailure(error: unknown, place: string): StoreError {
  if (error instanceof StoreError) return error;
  const said = error instanceof Error ? error.message || error.name : String(error);
  const code = codeOf(error);
  const options = { cause: error };
  if (code === '53100') {
    const text = `the disk of ${place} is full. Make space there and go on.`;
    return new StoreError('NOETL_STORE_FULL', text, { place }, options);
  }
  if (code.startsWith('28') || code === '42501' || code === '25006') {
    const text = `${place} does not allow this: ${said}. Check NOETL_RESULTS_POSTGRES and what its user may do.`;
    return new StoreError('NOETL_STORE_READONLY', text, { place }, options);
  }
  // Of the server's own classes, 08 and 57P mean that it is gone or going.
  if (/^[0-9A-Z]{5}$/.test(code) && !/^(?:08|57P|53300)/.test(code)) {
    return new StoreError('NOETL_STORE_IO', `${place} cannot be used: ${said} (${code})`, { place }, options);
  }
  const text = `${place} cannot be reached: ${said}. Check that PostgreSQL runs there, and go on.`;
  return new StoreError('NOETL_STORE_UNREACHABLE', text, { place }, options);
}
