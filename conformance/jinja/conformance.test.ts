import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ownCasesFile, readCases, sharedCasesFile } from './case-file.ts';
import { evaluateCase } from './evaluate-case.ts';
import { buildReport } from './report.ts';
import { sameValue } from './same-value.ts';

describe('the cases recorded from real Jinja2', () => {
  const own = readCases(ownCasesFile);

  test('have ids of their own', () => {
    expect(new Set(own.map((recorded) => recorded.id)).size).toBe(own.length);
  });

  test('of the project are all answered alike, Python printing included', () => {
    const failures = own.map(evaluateCase).filter((verdict) => !verdict.passed);
    expect(
      failures.map(({ case: { id, template, expected, error }, got }) => ({ id, template, expected, error, got })),
    ).toEqual([]);
  });

  test.skipIf(!existsSync(sharedCasesFile))('of the shared file reach the shares of TPL-2', () => {
    const verdicts = readCases(sharedCasesFile)
      .filter((recorded) => recorded.mode !== 'native')
      .map(evaluateCase);
    const report = buildReport(verdicts);
    expect(report.accepted, [...report.lines, report.summary].join('\n')).toBe(true);
  });
});

describe('the comparison of values', () => {
  test.each([
    ['a number and a bigint', 3, 3n],
    ['a marked bigint and that bigint', { $bigint: '9007199254740993' }, 9007199254740993n],
    ['a marked NaN and NaN', { $float: 'nan' }, Number.NaN],
    ['a marked undefined and undefined', [{ $undefined: true }], [undefined]],
    ['equal nested data', { a: [1, { b: null }] }, { a: [1, { b: null }] }],
  ])('takes for the same %s', (_name, expected, actual) => {
    expect(sameValue(expected, actual)).toBe(true);
  });

  test.each([
    ['one from true', 1, true],
    ['text from a number', '1', 1],
    ['a bigint from the nearest float', { $bigint: '9007199254740993' }, 9007199254740992],
    ['none from undefined', null, undefined],
    ['a list from a longer one', [1], [1, 2]],
    ['a mapping from a larger one', { a: 1 }, { a: 1, b: 2 }],
  ])('tells %s', (_name, expected, actual) => {
    expect(sameValue(expected, actual)).toBe(false);
  });
});
