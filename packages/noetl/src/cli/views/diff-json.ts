import type { Said } from '../diff/difference-list.ts';
import type { Tally } from '../diff/execution-tally.ts';
import { valueDifferences } from '../diff/value-differences.ts';
import type { DiffView } from './diff.ts';
import { detailsOf } from './diff-difference.ts';

/** As many as anybody looks at; a result may differ in a million places. */
const MOST_PLACES = 100;

/** The same as one line of JSON. */
export function diffJson({ a, b, differences, count, lost, placeOf }: DiffView): string {
  const said = (side: 'a' | 'b', one: Said) => {
    const { execution, seq } = placeOf(side, one.at);
    return { execution_id: execution, seq, said: one.said };
  };
  const told = {
    equal: count === 0,
    a: executionOf(a),
    b: executionOf(b),
    same_playbook: a.summary.content_hash === b.summary.content_hash,
    lost_origins: lost,
    difference_count: count,
    differences: differences.map((found) => {
      const { what, step, nth, path, label, visit, attempt } = found.about;
      const where = {
        what,
        ...(step === undefined ? {} : { step, nth }),
        ...(path === '' ? {} : { iteration: path }),
        ...(label === undefined ? {} : { task_label: label, visit, attempt }),
      };
      return {
        ...where,
        a: found.a === undefined ? null : said('a', found.a),
        b: found.b === undefined ? null : said('b', found.b),
        places: detailsOf(found, MOST_PLACES).map(({ path: at, a: one, b: other }) => ({ path: at, a: one, b: other })),
      };
    }),
    ctx: valueDifferences(a.ctx, b.ctx, MOST_PLACES),
  };
  return `${JSON.stringify(told)}\n`;
}

const executionOf = ({ summary, steps, arcs }: Tally) => {
  const { execution_id, path, version, status, seq, duration_ms, origin } = summary;
  return { execution_id, path, version, status, events: seq, duration_ms, origin, steps, arcs };
};
