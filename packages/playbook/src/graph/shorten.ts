/** The text on one line, without control characters, and no longer than `max` characters. */
export function shorten(text: string, max: number): string {
  // Long before it is looked at closely, a text is cut to what could be shown of it.
  const line = text
    .slice(0, max * 20)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/\p{Cs}/gu, '\ufffd')
    .trim();
  const characters = [...line];
  if (characters.length <= max && text.length <= max * 20) return line;
  return `${characters
    .slice(0, max - 1)
    .join('')
    .trimEnd()}…`;
}
