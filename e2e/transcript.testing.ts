/** What a guide shows: files that the reader writes, and commands with what they print. */
export type Scene = ShownFile | ShownCommand;

interface ShownFile {
  readonly kind: 'file';
  readonly name: string;
  readonly text: string;
}

export interface ShownCommand {
  readonly kind: 'command';
  /** Where the guide has it, from 1. */
  readonly line: number;
  readonly command: string;
  /** `&` at its end: it goes on while others run. */
  readonly background: boolean;
  /** `# exit code 1` at its end, else 0. */
  readonly exitCode: number;
  readonly output: string;
}

/**
 * The scenes of a guide in their order. A block with `title=NAME` is a file. A `console` block is a terminal: a line that
 * begins with `$ ` is a command, `> ` goes on with it, and the lines below are what it prints.
 */
export function scenesOf(guide: string): readonly Scene[] {
  return [...guide.matchAll(/^```(\w+)(?: title=(\S+))?\n(.*?)^```$/gms)].flatMap((block): readonly Scene[] => {
    const [, language, name, text = ''] = block;
    if (name !== undefined) return [{ kind: 'file', name, text }];
    const line = guide.slice(0, block.index).split('\n').length + 1;
    return language === 'console' ? commandsOf(text, line) : [];
  });
}

function commandsOf(text: string, first: number): readonly ShownCommand[] {
  const commands: ShownCommand[] = [];
  for (const [index, shown] of text.split('\n').slice(0, -1).entries()) {
    const last = commands.at(-1);
    if (shown.startsWith('$ ')) commands.push(commandOf(shown.slice(2), first + index));
    else if (last === undefined) throw new Error(`line ${first + index}: a console block begins with a command, '$ …'`);
    else if (shown.startsWith('> ') && last.output === '') {
      commands.splice(-1, 1, commandOf(`${last.command}\n${shown.slice(2)}`, last.line));
    } else commands.splice(-1, 1, { ...last, output: `${last.output}${shown}\n` });
  }
  return commands;
}

function commandOf(shown: string, line: number): ShownCommand {
  const [, command = '', code] = /^(.*?)(?: +# exit code (\d+))?$/s.exec(shown) ?? [];
  const background = command.endsWith(' &');
  return { kind: 'command', line, command, background, exitCode: Number(code ?? 0), output: '' };
}

/** The ids of executions in a guide, and those that they stand for. */
export type Ids = ReadonlyMap<string, string>;

const ID = '\\b01[0-9a-hjkmnp-tv-z]{18}\\b';
const TIME = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{3})?Z';
const DURATION = '\\d+(?:\\.\\d)? (?:ms|s|min|h|d)\\b(?: \\d\\d (?:s|min|h)\\b)?';
const PARTS = new RegExp(
  `(?<lines>(?<=^|\\n)…\\n)|(?<any>…)|(?<id>${ID})|(?<time>${TIME})|(?<duration>${DURATION})|(?<blanks> {2,})`,
  'g',
);

/**
 * Whether a program printed what the guide shows: in all, or so far, where it goes on. The answer has the ids that are
 * known then, and how much of the text is shown. What differs from one run to the next may differ: the ids of executions, times, durations,
 * the width of columns. `…` stands for anything in a line, a line of its own for any number of lines.
 */
export function shownIn(
  printed: string,
  shown: string,
  ids: Ids,
  extent: 'whole' | 'so far' = 'whole',
): { readonly ids: Ids; readonly length: number } | undefined {
  const found: string[] = [];
  let pattern = '^';
  let end = 0;
  for (const part of shown.matchAll(PARTS)) {
    pattern += literal(shown.slice(end, part.index));
    end = part.index + part[0].length;
    const { lines, any, id, time, duration } = part.groups ?? {};
    if (lines !== undefined) pattern += '(?:.*\\n)*?';
    else if (any !== undefined) pattern += '.*?';
    else if (time !== undefined) pattern += TIME;
    else if (duration !== undefined) pattern += DURATION;
    else if (id === undefined) pattern += ' +';
    else if (ids.has(id)) pattern += literal(ids.get(id) ?? '');
    else if (found.includes(id)) pattern += `\\${found.indexOf(id) + 1}`;
    else {
      found.push(id);
      pattern += `(${ID})`;
    }
  }
  const match = new RegExp(`${pattern}${literal(shown.slice(end))}${extent === 'whole' ? '$' : ''}`).exec(printed);
  if (match === null) return undefined;
  const met = found.map((id, index) => [id, match[index + 1] ?? ''] as const);
  return { ids: new Map([...ids, ...met]), length: match[0].length };
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** The command as it is meant, now that the executions have their ids. */
export const withIds = (command: string, ids: Ids): string =>
  command.replace(new RegExp(ID, 'g'), (id) => ids.get(id) ?? id);
