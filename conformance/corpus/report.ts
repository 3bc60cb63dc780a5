import type { Diagnostic } from '@noetl/playbook';
import { hasKnownKinds } from './corpus-playbook.ts';
import { type Judgement, MIGRATION_ENDS } from './judgement.ts';

/** How many playbooks of a group came to what. */
interface Row {
  readonly group: string;
  readonly dialect: string;
  readonly counts: Readonly<Record<string, number>>;
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function rowsOf(judgements: readonly Judgement[]): readonly Row[] {
  const rows = groupedBy(judgements, ({ playbook, dialect }) => `${playbook.group}\t${dialect}`);
  return [...rows]
    .sort(([a], [b]) => byText(a, b))
    .map(([key, members]) => {
      const [group = '', dialect = ''] = key.split('\t');
      return { group, dialect, counts: countsOf(members) };
    });
}

export function countsOf(judgements: readonly Judgement[]): Record<string, number> {
  const known = judgements.filter(({ playbook }) => hasKnownKinds(playbook));
  const valid = (members: readonly Judgement[]) => members.filter(({ errors }) => errors.length === 0).length;
  return {
    files: judgements.length,
    parsed: judgements.filter(({ end }) => end !== 'unreadable').length,
    ...Object.fromEntries(
      MIGRATION_ENDS.slice(1).map((end) => [end, judgements.filter((judgement) => judgement.end === end).length]),
    ),
    valid: valid(judgements),
    'of known kinds': known.length,
    'valid of those': valid(known),
  };
}

/** The table of the report, as Markdown. */
export function tableOf(judgements: readonly Judgement[]): string {
  const total = { group: 'all', dialect: '', counts: countsOf(judgements) };
  const names = Object.keys(total.counts);
  const lines = [...rowsOf(judgements), total].map(({ group, dialect, counts }) => [
    group,
    dialect,
    ...names.map((name) => String(counts[name])),
  ]);
  return markdown([['folder', 'dialect', ...names], ...lines]);
}

function markdown([head = [], ...lines]: readonly (readonly string[])[]): string {
  const rule = head.map(() => '---');
  return [head, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

interface Reason {
  readonly text: string;
  readonly places: readonly string[];
}

/** Diagnostics by what they say, whatever names they say it of; those of most playbooks first. */
export function reasonsOf(
  judgements: readonly Judgement[],
  of: (judgement: Judgement) => readonly Diagnostic[],
): readonly Reason[] {
  const said = judgements.flatMap((judgement) => {
    const firsts = new Map(of(judgement).map((diagnostic) => [plain(diagnostic), diagnostic] as const));
    return [...firsts].map(([text, { line, column }]) => ({
      text,
      place: `${judgement.playbook.name}:${line}:${column}`,
    }));
  });
  return [...groupedBy(said, ({ text }) => text)]
    .map(([text, places]) => ({ text, places: places.map(({ place }) => place) }))
    .sort((a, b) => b.places.length - a.places.length || byText(a.text, b.text));
}

const plain = ({ code, message }: Diagnostic): string =>
  `${code}: ${message.replaceAll(/\b(step|task|entry) '[^']*'/g, "$1 '…'")}`;

export const reasonLines = (reasons: readonly Reason[], shown: number): string =>
  reasons
    .flatMap(({ text, places }) => {
      const more = places.length > shown ? [`    and ${places.length - shown} more`] : [];
      return [
        `${String(places.length).padStart(4)} ${text}`,
        ...places.slice(0, shown).map((place) => `    ${place}`),
        ...more,
      ];
    })
    .join('\n');
