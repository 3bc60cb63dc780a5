/** The beginning of a text that is too long. The sign tells that it was cut, also to those who look for secrets in it. */
export const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most)}…`);
