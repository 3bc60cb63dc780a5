import { parsedTemplate } from '../names/parsed-template.ts';
import { entryOf, mapScalars, replacedValue, textOf } from '../tree/edit.ts';
import { respelled } from '../tree/respell.ts';
import type { TaskRule } from './task-rule.ts';

/** `{{.Name}}` is a template of the program that a line calls, and never one of ours. */
const FOREIGN = /\{\{-?\s*\.[^{}]*\}\}/g;

/** Lines of a shell that hand templates of their own to a program: what is meant for it stands between raw and endraw. */
export const migrateGoBraces: TaskRule = (task, { journal }) =>
  ['cmds', 'command', 'env'].reduce((changed, key) => {
    const field = entryOf(changed, key);
    if (field === undefined) return changed;
    const value = mapScalars(
      field.value,
      (scalar, at) => {
        const text = textOf(scalar);
        if (text === undefined || text.search(FOREIGN) < 0 || !('message' in parsedTemplate(text))) return scalar;
        journal.note('shell-braces', at, 'braces that are meant for the program stand between raw and endraw');
        const edits = [...text.matchAll(FOREIGN)].map(({ 0: found, index }) => ({
          start: index,
          end: index + found.length,
          text: `{% raw %}${found}{% endraw %}`,
        }));
        return respelled(scalar, edits);
      },
      field.at,
    );
    return value === field.value ? changed : replacedValue(changed, key, value);
  }, task);
