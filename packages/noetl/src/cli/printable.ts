import type { Diagnostic } from '@noetl/playbook';

/** The diagnostic without control characters: what stands in a playbook must not steer the terminal it is shown in. */
export function printable(diagnostic: Diagnostic): Diagnostic {
  const { file, message, hint, sourceLine } = diagnostic;
  return {
    ...diagnostic,
    file: clean(file),
    message: clean(message),
    hint: clean(hint),
    sourceLine: clean(sourceLine),
  };
}

/** One character for one, so that the caret stays below what it points at. Tabs and line ends do no harm. */
const clean = (text: string): string => text.replace(/[^\P{Cc}\t\n]/gu, '\ufffd');
