// What users and their tools wrote must not steer the terminal it is shown in: control characters, line separators and
// marks that turn the direction of writing each become one visible character.
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Text of users as one line. */
export const visible = (text: string): string =>
  text.replace(/\r?\n/g, '⏎').replace(/\t/g, ' ').replace(UNSEEN, '\ufffd');

/** Text of users with its own lines and tabs. */
export const visibleText = (text: string): string =>
  text.replace(/\r\n/g, '\n').replace(UNSEEN, (mark) => (mark === '\n' || mark === '\t' ? mark : '\ufffd'));

/** JSON in which every such character is written as an escape: the value stays the same. */
export const visibleJson = (json: string): string =>
  json.replace(UNSEEN, (mark) => (mark === '\n' ? mark : `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`));

/** At most so many characters, with a sign that there were more. */
export const abridged = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
