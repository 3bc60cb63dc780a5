import type { CorpusPlaybook } from './corpus-playbook.ts';

/**
 * - ok: it ended in success;
 * - meant: it ended in an error, as its author says that it must;
 * - lacking: it needs what is neither in it nor here, which only its run tells;
 * - failed: anything else.
 */
export type RunEnd = 'ok' | 'meant' | 'lacking' | 'failed';

/** Playbooks that show how errors end an execution. */
const MEANT_TO_FAIL = /broken|should_error|pipeline_error_handling/;

const LACKS: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/No module named '(\w+)/, (module) => `the Python module ${module}`],
  [/there is no file '([^']+)'/, (file) => `the file ${file}`],
  [/relation "([\w.]+)" does not exist/, (table) => `the table ${table}, which it does not make`],
  [/has neither 'auth' nor '(\w+)'/, () => 'a database, which it does not name'],
  [/GET https?:\/\/([\w.-]+).*found no connection/, (host) => `the host ${host}`],
  [/(NOETL_TEMPLATE_UNDEFINED) at/, () => 'values of its workload that whoever calls it gives'],
  [/'script' comes from (s3)/, () => 'a script from S3'],
  [/the kind (\w+) reads no files/, (kind) => `a file with statements for ${kind}`],
];

/** What became of a run that ended in an error for this reason. */
export function endForReason(
  playbook: CorpusPlaybook,
  reason: string,
): { readonly end: RunEnd; readonly reason: string } {
  if (MEANT_TO_FAIL.test(playbook.name)) return { end: 'meant', reason };
  for (const [pattern, lack] of LACKS) {
    const found = pattern.exec(reason)?.[1];
    if (found !== undefined && !makesTable(playbook, found))
      return { end: 'lacking', reason: `it needs ${lack(found)}` };
  }
  return { end: 'failed', reason };
}

const makesTable = ({ text }: CorpusPlaybook, name: string): boolean =>
  new RegExp(`create\\s+table\\s+(?:if\\s+not\\s+exists\\s+)?${name.replaceAll('.', '\\.')}\\b`, 'i').test(text);
