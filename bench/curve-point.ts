import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chain, execute, loop, openDriver, planFrom } from './bench-driver.ts';

/** What a process of its own measured at one point of a curve. */
export interface CurvePoint {
  readonly ms: number;
  readonly events: number;
  readonly peak_rss_mb: number;
  /** How many times the last tenth of the events took what the second did; null where there are too few to tell. */
  readonly growth: number | null;
}

/** A name for each curve, and what is executed at a point of it: plans, each begun at the same moment. */
const CURVES = {
  loop: (items: number) => [loop(items)],
  executions: (many: number) => Array<ReturnType<typeof chain>>(many).fill(chain(3)),
  ctx: (bytes: number) => [
    planFrom(`
workflow:
  - step: start
    tool: { kind: noop, result: "{{ 'x' * ${bytes} }}", spec: { policy: { rules: [{ else: { then: { do: continue, set_ctx: { held: "{{ outcome.result }}" } } } }] } } }
    next: { arcs: [{ step: s1 }] }${Array.from(
      { length: 100 },
      (_, nth) => `
  - step: s${nth + 1}
    tool: { kind: noop, result: "{{ ctx.held | length }}" }
    ${nth < 99 ? `next: { arcs: [{ step: s${nth + 2} }] }` : ''}`,
    ).join('')}
`),
  ],
  pipeline: (tasks: number) => [
    planFrom(`
workflow:
  - step: start
    tool:${Array.from({ length: tasks }, (_, nth) => `\n      - t${nth}: { kind: noop, result: ${nth} }`).join('')}
`),
  ],
  visits: (visits: number) => [
    planFrom(`
workflow:
  - step: start
    tool:
      - page:
          kind: noop
          result: "{{ ctx.visits | default(1) }}"
          spec:
            policy:
              rules:
                - when: "{{ outcome.result < ${visits} }}"
                  then: { do: jump, to: page, set_ctx: { visits: "{{ outcome.result + 1 }}" } }
                - else: { then: { do: break } }
`),
  ],
};

const EVENTS_PER_MARK = 1_000;

/** The first tenth also pays for the compiler, so that the second is the one to compare with. */
function growth(): number | null {
  const tenth = Math.floor(marks.length / 10);
  const cost = (from: number, to: number): number => {
    const [[before = 0, since = 0] = [], [after = 0, until = 0] = []] = [marks[from], marks[to]];
    return (until - since) / (after - before);
  };
  return tenth === 0 ? null : cost(marks.length - 1 - tenth, marks.length - 1) / cost(tenth, 2 * tenth);
}

const [curve = '', at = '0'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'noetl-curve-'));
let events = 0;
let marks: (readonly [events: number, at: number])[] = [];
let peak = 0;
const look = (): void => {
  peak = Math.max(peak, process.memoryUsage.rss());
};
const driver = await openDriver(folder, (committed) => {
  events += committed.length;
  if (events >= (marks.at(-1)?.[0] ?? 0) + EVENTS_PER_MARK) marks.push([events, performance.now()]);
});
try {
  // Warm, as every figure of the bench.
  for (let run = 0; run < 200; run++) await execute(driver, chain(3));
  for (let run = 0; run < 5; run++) await execute(driver, loop(200));
  const plans = CURVES[curve as keyof typeof CURVES](Number(at));
  const watch = setInterval(look, 20);
  events = 0;
  marks = [];
  const began = performance.now();
  await Promise.all(plans.map((plan) => execute(driver, plan)));
  const ms = performance.now() - began;
  clearInterval(watch);
  look();
  const point: CurvePoint = { ms, events, peak_rss_mb: peak / 1024 / 1024, growth: growth() };
  console.log(JSON.stringify(point));
} finally {
  await driver.close();
  rmSync(folder, { recursive: true, force: true });
}
