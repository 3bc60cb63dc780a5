import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { measuredPoint } from './measured-point.ts';
import { optionsOf } from './options.ts';
import { plotted } from './plot.ts';
import { rounded } from './result.ts';

const HELP = `npm run curves: measures how cost grows, and writes docs/performance.md with its tables and plots.

It takes some minutes, and means something only where nothing else is going on.`;

interface Curve {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly x: string;
  readonly points: readonly number[];
  /** What one unit of the work is called, and how many there are at a point. */
  readonly unit: string;
  units(x: number): number;
}

const CURVES: readonly Curve[] = [
  {
    name: 'loop',
    title: 'A loop over more and more items',
    text: 'One execution with one parallel loop, 100 iterations in flight, each with one `noop` task: 4 events per item.',
    x: 'items',
    points: [100, 1_000, 10_000, 100_000, 1_000_000],
    unit: 'item',
    units: (items) => items,
  },
  {
    name: 'executions',
    title: 'More and more executions at the same time',
    text: 'Executions of three steps, all begun at the same moment, in one process with 100 slots.',
    x: 'executions in flight',
    points: [10, 100, 1_000, 10_000],
    unit: 'execution',
    units: (executions) => executions,
  },
  {
    name: 'ctx',
    title: 'A larger and larger ctx',
    text: 'A hundred steps, one behind the other, each of which reads a ctx of that size.',
    x: 'bytes of ctx',
    points: [100, 1_000, 10_000, 100_000, 1_000_000],
    unit: 'step',
    units: () => 101,
  },
  {
    name: 'pipeline',
    title: 'A longer and longer pipeline',
    text: 'One step with that many tasks; 200 are the most that a step may have.',
    x: 'tasks',
    points: [1, 10, 50, 100, 200],
    unit: 'task',
    units: (tasks) => tasks,
  },
  {
    name: 'visits',
    title: 'A pipeline that jumps back more and more often',
    text: 'One task that counts its visits in ctx and jumps to itself, as pagination does.',
    x: 'visits',
    points: [10, 100, 1_000, 10_000],
    unit: 'visit',
    units: (visits) => visits,
  },
];

optionsOf({}, HELP);

const DOCS = fileURLToPath(new URL('../docs/', import.meta.url));

mkdirSync(`${DOCS}performance`, { recursive: true });
const sections = CURVES.map((curve) => {
  const measured = curve.points.map((x) => ({ x, ...pointOf(curve.name, x) }));
  const rate = measured.map(({ events, ms }) => (events * 1_000) / ms);
  const memory = measured.map(({ peak_rss_mb }) => peak_rss_mb);
  writeFileSync(
    `${DOCS}performance/${curve.name}.svg`,
    plotted({
      title: curve.title,
      x: { label: curve.x, values: curve.points },
      lines: [
        { label: 'events per second', values: rate },
        { label: 'peak memory, MB', values: memory },
      ],
    }),
  );
  const rows = measured.map(
    ({ x, ms, events, peak_rss_mb }, nth) =>
      `| ${x} | ${events} | ${rounded(ms)} | ${rounded((ms * 1000) / curve.units(x))} | ${rounded(rate[nth] ?? 0)} | ${rounded(peak_rss_mb)} |`,
  );
  return `## ${curve.title}

${curve.text}

![events per second and memory](performance/${curve.name}.svg)

| ${curve.x} | events | ms | µs per ${curve.unit} | events/s | peak MB |
|---:|---:|---:|---:|---:|---:|
${rows.join('\n')}
`;
});

writeFileSync(
  `${DOCS}performance.md`,
  `# How cost grows

Measured by \`npm run curves\` on ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.versions.node}. Every event is
durable in the SQLite file before anything is done because of it. Each point is a process of its own, warm. Machines differ,
and busy ones differ from themselves: the shapes matter, not the numbers. \`npm run bench -- --only executions\` tells of
each of its figures what binds it, and \`--peers\` compares with other engines in the same run.

${sections.join('\n')}`,
);

function pointOf(curve: string, x: number) {
  console.error(`${curve} ${x}`);
  return measuredPoint(curve, x);
}
