import { isTagged } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import { taggedText } from './short-json.ts';
import { visibleJson, visibleText } from './visible.ts';

/** The result of an execution for people: text as it is, anything else as JSON over several lines. */
export function resultText(result: Json): string {
  if (typeof result === 'string') return `${visibleText(result)}\n`;
  if (isTagged(result)) return `(${taggedText(result)})\n`;
  return `${visibleJson(JSON.stringify(result, undefined, 2))}\n`;
}

/** One line of JSON, exactly. */
export const resultJson = (result: Json): string => `${JSON.stringify(result)}\n`;
