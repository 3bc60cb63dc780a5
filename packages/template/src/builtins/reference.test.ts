import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createEnvironment } from '../options.ts';
import { DICT_METHODS, LIST_METHODS } from './methods/container-methods.ts';
import { STRING_METHODS } from './methods/string-methods.ts';

const page = readFileSync(new URL('../../../../docs/reference/templates.md', import.meta.url), 'utf8');
const environment = createEnvironment({});

/** The words in backquotes of the first paragraph or list item that starts under a heading. */
function listed(start: string): string[] {
  const from = page.indexOf(start) + start.length;
  const block =
    page
      .slice(from)
      .trimStart()
      .split(/\n\n|\n- /)[0] ?? '';
  return Array.from(block.matchAll(/`([^`]+)`/g), (match) => match[1] ?? '').sort();
}

it('the reference lists every filter and test', () => {
  expect(listed('## Filters')).toEqual([...environment.filters.keys()].sort());
  expect(listed('## Tests')).toEqual([...environment.tests.keys()].sort());
});

it('the reference lists every method', () => {
  expect(listed('- text:')).toEqual(Object.keys(STRING_METHODS).sort());
  expect(listed('- lists:')).toEqual(Object.keys(LIST_METHODS).sort());
  expect(listed('- mappings:')).toEqual(Object.keys(DICT_METHODS).sort());
});
