import { expect, it } from 'vitest';
import { diagnose } from './reading-playbooks.testing.ts';

/** A title, a document, and `CODE line:column` of everything that must be said about it. */
type DocumentCase = readonly [title: string, text: string, expected: readonly string[]];

/** One test for each document. */
export function checkDocuments(cases: readonly DocumentCase[]): void {
  it.each(cases)('%s', (_title, text, expected) => {
    expect(diagnose(text)).toEqual(expected);
  });
}
