/** A character that stands for itself, or any other, which is then captured. */
const CHARACTER = /[\p{L}\p{M}\p{N} ,=/()']|(?<=[\p{L}\p{N}])[_.-](?=[\p{L}\p{N}])|(.)/gsu;

/**
 * Text inside of a quoted Mermaid label. Mermaid reads such text several times: for quotes, comments and directives,
 * for entities, as Markdown and as HTML. So only letters, digits, spaces and signs that mean nothing to any of these
 * stand for themselves; the rest are entities, which Mermaid resolves last.
 */
export function mermaidText(text: string): string {
  return (
    text
      .replace(CHARACTER, (plain, other: string | undefined) =>
        other === undefined ? plain : `#${other.codePointAt(0)};`,
      )
      // A line with these words is taken for a statement, wherever in it they stand.
      .replaceAll('direction ', '#100;irection ')
  );
}
