/**
 * A generated source as a tree, so that a failing case can be shrunk: an expression may be replaced by one inside it,
 * an optional piece may be left out. The source is the tree's text, nothing more.
 */
export interface Piece {
  readonly sort: 'expression' | 'optional' | 'group';
  readonly parts: readonly (string | Piece)[];
}

type Hole = string | number | Piece | readonly Piece[];

function pieceOf(sort: Piece['sort']) {
  return (strings: TemplateStringsArray, ...holes: Hole[]): Piece => {
    const parts: (string | Piece)[] = [];
    strings.forEach((text, index) => {
      if (text !== '') parts.push(text);
      if (index < holes.length) parts.push(...partsOfHole(holes[index] as Hole));
    });
    return { sort, parts };
  };
}

function partsOfHole(hole: Hole): readonly (string | Piece)[] {
  if (typeof hole === 'number') return [String(hole)];
  if (typeof hole === 'string') return [hole];
  return isPiece(hole) ? [hole] : hole;
}

function isPiece(hole: Piece | readonly Piece[]): hole is Piece {
  return !Array.isArray(hole);
}

/** A part that stands where an expression may stand. */
export const expr = pieceOf('expression');
/** A part that can be left out without breaking the syntax: a statement, a text, an argument. */
export const optional = pieceOf('optional');
/** Parts that belong together. */
export const group = pieceOf('group');

export function sourceOf(piece: Piece): string {
  return piece.parts.map((part) => (typeof part === 'string' ? part : sourceOf(part))).join('');
}

/** `a, b, c` where each but the first can be left out. */
export function commaList(items: readonly Piece[]): readonly Piece[] {
  return items.map((item, index) => (index === 0 ? item : optional`, ${item}`));
}
