import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DriverLost } from './driver-lost.ts';

it('what a lost driver says stands on its page, which is in the index', () => {
  const { code, message } = new DriverLost();
  const read = (file: string) => readFileSync(new URL(`../../../../docs/errors/${file}`, import.meta.url), 'utf8');
  expect(read(`${code}.md`)).toContain(`error: ${code}: ${message}\n`);
  expect(read('README.md')).toContain(`| [${code}](${code}.md) | `);
});
