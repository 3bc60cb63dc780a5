import { writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { corpusIn, hasKnownKinds } from './corpus-playbook.ts';
import { type Judgement, judged } from './judgement.ts';
import { countsOf, reasonLines, reasonsOf, tableOf } from './report.ts';
import { hindranceOf, libraryOf } from './requirements.ts';
import { type Ended, runCorpus } from './run-corpus.ts';

const USAGE = `Usage: npm run corpus -- FOLDER [--run] [--json] [--only TEXT] [--shown N]

What migration makes of every playbook below a folder. With --run, those that need nothing but Python, DuckDB, PostgreSQL
and the paginated API are run to their end, against servers on this machine.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    run: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    shown: { type: 'string', default: '3' },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  print(USAGE);
  process.exit(2);
}

const judgements = corpusIn(folder, values.only).map(judged);
if (!values.run) {
  if (values.json) print(`${JSON.stringify(asJson(judgements))}\n`);
  else print(asText(judgements, Number(values.shown)));
} else {
  const library = libraryOf(corpusIn(folder, ''));
  const hindered = judgements.map(({ playbook }) => ({ playbook, hindrance: hindranceOf(playbook, library) }));
  const runnable = hindered.flatMap(({ playbook, hindrance }) => (hindrance === undefined ? [playbook] : []));
  const ends = await runCorpus(runnable, library, (ended) => {
    if (!values.json) print(`${endLine(ended)}\n`);
  });
  if (values.json) {
    const told = ends.map(({ playbook, end, reason }) => ({ file: playbook.name, end, reason }));
    const others = hindered.flatMap(({ playbook, hindrance }) =>
      hindrance === undefined ? [] : [{ file: playbook.name, hindrance }],
    );
    print(`${JSON.stringify({ ran: told, not_run: others })}\n`);
  } else {
    print(runSummary(ends, hindered.length));
  }
}

function asText(all: readonly Judgement[], shown: number): string {
  const known = all.filter(({ playbook }) => hasKnownKinds(playbook));
  const refused = all.filter(({ end }) => end === 'refused' || end === 'unreadable');
  const share = ((100 * known.filter(({ errors }) => errors.length === 0).length) / known.length).toFixed(1);
  return `${tableOf(all)}

Of the ${known.length} whose kinds are known, ${share} % are valid after migration.

Errors of the migrated texts, by the number of playbooks (known kinds only):
${reasonLines(
  reasonsOf(known, ({ errors }) => errors),
  shown,
)}

Refused, by reason:
${reasonLines(
  reasonsOf(refused, ({ migration }) => migration.problems),
  shown,
)}
`;
}

function endLine({ playbook, end, reason }: Ended): string {
  return `${end.padEnd(8)} ${playbook.name}${reason === undefined ? '' : `: ${reason}`}`;
}

function runSummary(ends: readonly Ended[], all: number): string {
  const count = (end: Ended['end']) => ends.filter((ended) => ended.end === end).length;
  const able = ends.length - count('lacking');
  const share = ((100 * (able - count('failed'))) / able).toFixed(1);
  return `
${count('ok')} ended well, ${count('meant')} failed as they are meant to, ${count('failed')} failed: ${share} % of ${able} did what they should.
${count('lacking')} turned out to need something that is not here, as do the ${all - ends.length} that were not run.
`;
}

function asJson(all: readonly Judgement[]) {
  return {
    counts: countsOf(all),
    playbooks: all.map(({ playbook, dialect, migration, end, errors }) => ({
      file: playbook.name,
      dialect,
      found: migration.dialects.map((found) => found.dialect),
      known_kinds: hasKnownKinds(playbook),
      end,
      notes: migration.notes.length,
      problems: migration.problems,
      errors,
    })),
  };
}

function print(text: string): void {
  writeSync(1, text);
}
