import type { RuleId } from '../rules.ts';
import type { Key } from './result-shape.ts';
import type { Replacement } from './rewrite-template.ts';
import { pathText } from './static-path.ts';

/** A reference by another name and path; keys at its end that stay the same are left as they are written. */
export function renamed(
  rule: RuleId,
  name: string,
  path: readonly Key[],
  old: readonly Key[],
  review?: string | undefined,
): Replacement {
  let same = 0;
  while (same < Math.min(path.length, old.length) && path.at(-1 - same) === old.at(-1 - same)) same += 1;
  return {
    text: pathText(name, path.slice(0, path.length - same)),
    rule,
    covers: old.length - same,
    review,
  };
}
