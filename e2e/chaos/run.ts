import { openProgram } from '../program.testing.ts';
import { programOfOptions } from '../program-of-options.ts';
import { wholeOption } from '../whole-option.ts';
import { crashAtEveryCommit } from './crash-points.ts';
import { failDisks } from './disk.ts';
import { killAtRandom } from './kills.ts';
import { createReport } from './report.ts';
import { ON_BAD_DISKS, POINTS, SCENARIOS, type Scenario } from './scenario.ts';
import { runServerChaos } from './server/run-server-chaos.ts';
import { verifiedByCommand } from './verification.ts';

const HELP = `npm run chaos -- [--kills N | --points | --disk [--fault NAME]] [--only NAME] [--seed S] [--case K] [--chains N] [--json]
npm run chaos -- --server [--faults N] [--seconds N] [--seed S] [--json]

Runs the built program over playbooks and lets its processes die; every execution is resumed until it is over. It must
come to the end that it has undisturbed, \`noetl exec verify\` must find it intact, the ledger that the tools keep
themselves must agree with the log, and no process may be left.

  --kills N    kill -9 at N random moments, over loops, retries, pages, children and waits (200 unless given)
  --points     die right before and right after every single commit of the store, over small playbooks
  --disk       errors in syncs and writes, slow syncs and full disks (needs strace, and root for small disks; what cannot
               be had is left out with a sentence)
  --server     a server and workers under load: they are killed and stopped, connections are cut, slow, lose one way and
               repeat requests, the disk is full; what is compared is the same, and that no stale report is accepted
  --faults N   with --server: how many of those (300 unless given)
  --seconds N  with --server: for so long instead
  --fault NAME only the fault of the disk that has this name
  --only NAME  only the playbook of this name
  --seed S     the chance that playbooks and moments follow from; a new one unless given, and printed
  --case K     only the execution of this number, as a failure names it
  --chains N   executions that are run beside each other (2 unless given)
  --json       one line of JSON for each execution, and one for the end
  --help       print this help

The exit code is 0 if all went well, 1 if something did not, 2 if the options make no sense. What failed is told with the
command that repeats it, and its folder is kept.

See docs/testing/chaos.md.
`;

const options = {
  kills: { type: 'string' },
  points: { type: 'boolean' },
  disk: { type: 'boolean' },
  server: { type: 'boolean' },
  faults: { type: 'string' },
  seconds: { type: 'string' },
  fault: { type: 'string' },
  only: { type: 'string' },
  seed: { type: 'string' },
  case: { type: 'string' },
  chains: { type: 'string' },
  json: { type: 'boolean' },
} as const;

await programOfOptions(HELP, options, async (values) => {
  const { json = false } = values;
  const kinds = (['kills', 'points', 'disk', 'server'] as const).filter((kind) => values[kind] !== undefined);
  if (kinds.length > 1) throw new Error(`${kinds.map((kind) => `--${kind}`).join(' and ')}: one after the other`);
  if (values.server) {
    const odd = (['only', 'case', 'chains', 'fault'] as const).find((name) => values[name] !== undefined);
    if (odd !== undefined) throw new Error(`--${odd}: not with --server`);
    return runServerChaos(values);
  }
  if (values.faults !== undefined || values.seconds !== undefined) {
    throw new Error('--faults and --seconds: only with --server');
  }
  if (values.fault !== undefined && !values.disk) throw new Error('--fault: only with --disk');
  if (values.case !== undefined && values.disk) throw new Error('--case: with --disk, --fault names the one to repeat');
  const scenarios = chosen(values.only, values.points ? POINTS : values.disk ? ON_BAD_DISKS : SCENARIOS);
  const kills = wholeOption('kills', values.kills, 200);
  const seed = wholeOption('seed', values.seed, Math.floor(Math.random() * 2 ** 31), 0);
  const chains = wholeOption('chains', values.chains, 2);
  const number = values.case === undefined ? undefined : wholeOption('case', values.case, 1);
  const { stderr } = process;
  const begun = performance.now();
  const report = createReport({
    print: (line) => console.log(line),
    progress: stderr.isTTY && !json ? (line) => stderr.write(`\r\u001b[K${line}`) : undefined,
    json,
  });
  if (!json) console.log(`seed ${seed}`);
  const program = openProgram();
  const shared = { program, scenarios, seed, chains, verify: verifiedByCommand, report };
  const only = values.only === undefined ? '' : ` --only ${values.only}`;
  const again = (of: number): string => `npm run chaos -- --kills ${kills}${only} --seed ${seed} --case ${of}`;
  const numbers = number === undefined ? undefined : [number];
  if (values.points) await crashAtEveryCommit({ ...shared, numbers });
  else if (values.disk) {
    const skipped = (why: string): void => console.error(why);
    await failDisks({ ...shared, fault: values.fault, skipped });
    if (report.cases() === 0) {
      const none =
        values.fault === undefined
          ? '--disk: no fault can be made here'
          : `--fault '${values.fault}': no fault that can be made here has this name`;
      throw new Error(`${none}; nothing was tried`);
    }
  } else await killAtRandom({ ...shared, kills, least: 3, again, only: number });
  if (stderr.isTTY && !json) stderr.write('\r\u001b[K');
  const failed = report.failures().length;
  const seconds = (performance.now() - begun) / 1_000;
  const summary = { deaths: report.deaths(), executions: report.cases(), failed, seconds: Math.round(seconds), seed };
  console.log(
    json
      ? JSON.stringify(summary)
      : `${summary.deaths} deaths in ${summary.executions} executions, ${summary.seconds} s: ${failed === 0 ? 'each came to the same end, the logs are intact and the ledgers agree' : `${failed} FAILED`} (seed ${seed})`,
  );
  if (failed === 0) await program.close();
  return failed === 0 ? 0 : 1;
});

function chosen(only: string | undefined, all: readonly Scenario[]): readonly Scenario[] {
  const found = all.filter(({ name }) => only === undefined || name === only);
  if (found.length > 0) return found;
  throw new Error(`--only ${only}: expected one of ${all.map(({ name }) => name).join(', ')}`);
}
