import type { Json, JsonMap } from '@noetl/playbook';

/** One loop around an iteration. */
export interface LoopLevel {
  readonly iterator: string;
  readonly item: Json;
  readonly index: number;
  readonly total: number;
}

/** ENG-8: `iter` of an iteration, levels from the outermost loop; each reaches the one around it by `parent`. */
export const iterationScope = (levels: readonly LoopLevel[]): JsonMap | undefined =>
  levels.reduce<JsonMap | undefined>((parent, level) => levelScope(level, parent), undefined);

const levelScope = ({ iterator, item, index, total }: LoopLevel, parent: JsonMap | undefined): JsonMap => ({
  index,
  _index: index,
  _first: index === 0,
  _last: index === total - 1,
  _total: total,
  ...(parent === undefined ? {} : { parent }),
  [iterator]: item,
});

/** The names that may be read without `iter`, innermost first (TPL-5). */
export const iteratorNames = (levels: readonly LoopLevel[]): readonly string[] =>
  levels.map(({ iterator }) => iterator).reverse();
