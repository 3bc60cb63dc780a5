import { expect, it } from 'vitest';
import { encodingsOf } from './encodings.ts';

it.each([
  ['QUJD/REVGR+0hJSktM/TU4=', 'QUJD%2FREVGR+0hJSktM%2FTU4%3D'],
  ['tok3n-S3cr3t&value=?', 'tok3n-S3cr3t&value=%3F'],
])('%s in an address that was taken apart and written again is %s (SEC-3)', (secret, seen) => {
  expect(encodingsOf(secret)).toContain(seen);
});
