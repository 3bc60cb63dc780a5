/** The option that names the data folder again, for commands that are proposed to the user. */
export const dataOption = (data: string | undefined): string => (data === undefined ? '' : ` --data ${quoted(data)}`);

const quoted = (text: string): string => (/^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
