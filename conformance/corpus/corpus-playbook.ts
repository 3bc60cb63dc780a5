import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KIND_SCHEMAS } from '@noetl/playbook';

/** A playbook that somebody wrote, in a folder of such playbooks. */
export interface CorpusPlaybook {
  /** Its path in the folder, as in `2026-08/report.yaml`. */
  readonly name: string;
  /** The folder it lies in, as in `2026-08`. */
  readonly group: string;
  readonly file: string;
  readonly text: string;
  /** What `INDEX.tsv` says of it, if there is one. */
  readonly listed?: Listed;
}

interface Listed {
  readonly dialect: string;
  readonly kinds: readonly string[];
  readonly needs: readonly string[];
}

/** The playbooks below a folder whose names contain a text, by name. */
export function corpusIn(folder: string, only: string): readonly CorpusPlaybook[] {
  const listed = listedIn(join(folder, 'INDEX.tsv'));
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ya?ml$/.test(name) && name.includes(only))
    .sort()
    .map((name) => {
      const file = join(folder, name);
      const entry = listed.get(name);
      const group = name.includes('/') ? name.slice(0, name.lastIndexOf('/')) : '.';
      return { name, group, file, text: readFileSync(file, 'utf8'), ...(entry === undefined ? {} : { listed: entry }) };
    });
}

/** Whether all kinds of work it has are kinds of TOOL-2. Iteration and ends of workflows were kinds once. */
export const hasKnownKinds = ({ listed }: CorpusPlaybook): boolean =>
  (listed?.kinds ?? []).every((kind) => kind in KIND_SCHEMAS || ['iterator', 'end', 'start'].includes(kind));

/** Columns of an index: file, dialect, `kind:count,…`, needs; a header stands above. */
function listedIn(index: string): ReadonlyMap<string, Listed> {
  const lines = existsSync(index) ? readFileSync(index, 'utf8').trim().split('\n').slice(1) : [];
  return new Map(
    lines.map((line) => {
      const [file = '', dialect = '', kinds = '', needs = ''] = line.split('\t');
      return [file, { dialect, kinds: wordsOf(kinds).map((kind) => kind.replace(/:\d+$/, '')), needs: wordsOf(needs) }];
    }),
  );
}

const wordsOf = (list: string): string[] => list.split(',').filter((word) => word !== '' && word !== '-');
