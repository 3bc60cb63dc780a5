import type { Command } from 'commander';

export type Shell = 'bash' | 'zsh' | 'fish';

/** A place on the command line (the commands typed so far) and what may follow there. */
interface Place {
  readonly path: string;
  readonly words: readonly Word[];
  readonly options: readonly Option[];
}

interface Word {
  readonly text: string;
  readonly summary: string;
}

interface Option extends Word {
  /** All its spellings, `text` among them. */
  readonly flags: readonly string[];
  /** Undefined if it takes no value; empty if its value is a file. */
  readonly values: readonly string[] | undefined;
}

/** A script that completes every command, option and fixed word of `program`; other words complete as files. */
export function completionScript(shell: Shell, program: Command): string {
  const places = placesOf(program, '');
  return `${{ bash, zsh, fish }[shell](places).join('\n')}\n`;
}

function placesOf(command: Command, path: string): Place[] {
  const help = command.createHelp();
  const subcommands = help.visibleCommands(command);
  const words = [
    ...subcommands.map((sub) => ({ text: sub.name(), summary: help.subcommandDescription(sub) })),
    ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
      argChoices.map((text) => ({ text, summary: description })),
    ),
  ];
  const options = help.visibleOptions(command).map(({ long, short, description, required, argChoices = [] }) => {
    const flags = [long, short].filter((flag) => flag !== undefined);
    return { text: flags[0] ?? '', summary: description, flags, values: required ? argChoices : undefined };
  });
  return [{ path, words, options }, ...subcommands.flatMap((sub) => placesOf(sub, `${path} ${sub.name()}`.trim()))];
}

function bash(places: readonly Place[]): string[] {
  return [
    '_noetl() {',
    ...findPlace(places, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`),
    "  local candidates=''",
    '  case $place in',
    ...places.map(({ path, words, options }) => {
      const texts = [...words, ...options].map(({ text }) => text);
      return `    ${quote(path)}) candidates=${quote(texts.join(' '))} ;;`;
    }),
    '  esac',
    '  case $value in',
    '    file) return ;;',
    '    ?*) candidates=$value ;;',
    '  esac',
    `  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
    '}',
    'complete -o default -F _noetl noetl',
  ];
}

function zsh(places: readonly Place[]): string[] {
  return [
    '#compdef noetl',
    '_noetl() {',
    ...findPlace(places, `"\${(@)words[2,CURRENT-1]}"`),
    '  local -a candidates',
    '  case $place in',
    ...places.map(({ path, words, options }) => {
      const described = [...words, ...options].map(({ text, summary }) => quote(`${text}:${summary}`));
      return `    ${quote(path)}) candidates=(${described.join(' ')}) ;;`;
    }),
    '  esac',
    '  case $value in',
    '    file) _files; return ;;',
    '    ?*) candidates=($=value) ;;',
    '  esac',
    '  _describe -o noetl candidates || _files',
    '}',
    'compdef _noetl noetl',
  ];
}

function fish(places: readonly Place[]): string[] {
  return [
    'function __noetl_at',
    '  set -l place',
    '  for word in (commandline -opc)[2..-1]',
    `    if contains -- (string join -- ' ' $place $word) ${paths(places).map(quote).join(' ')}`,
    '      set place $place $word',
    '    end',
    '  end',
    '  test "$place" = "$argv"',
    'end',
    ...places.flatMap(({ path, words, options }) => {
      const complete = `complete -c noetl -n ${quote(`__noetl_at ${path}`.trim())}`;
      return [
        ...words.map(({ text, summary }) => `${complete} -f -a ${quote(text)} -d ${quote(summary)}`),
        ...options.map(({ flags, values, summary }) => {
          const spellings = flags.map((flag) => flag.replace(/^--/, '-l ').replace(/^-(?!l )/, '-s '));
          return `${complete} ${spellings.join(' ')}${fishValues(values)} -d ${quote(summary)}`;
        }),
      ];
    }),
  ];
}

function fishValues(values: Option['values']): string {
  if (values === undefined) return '';
  return values.length === 0 ? ' -r' : ` -x -a ${quote(values.join(' '))}`;
}

/**
 * For bash and zsh: walks the words typed so far to the place they lead to. `value` says what is due: nothing, a `file`,
 * or one of some words.
 */
function findPlace(places: readonly Place[], typed: string): string[] {
  const due = places.flatMap(({ path, options }) =>
    options.flatMap(({ flags, values }) =>
      values === undefined ? [] : [{ typed: flags.map((flag) => `${path} ${flag}`), values }],
    ),
  );
  return [
    "  local place='' value='' word",
    `  for word in ${typed}; do`,
    '    case "$place $word" in',
    ...due.map(({ typed: words, values }) => {
      const value = values.length === 0 ? 'file' : values.join(' ');
      return `      ${words.map(quote).join(' | ')}) value=${quote(value)} ;;`;
    }),
    "      *) value='' ;;",
    '    esac',
    `    case "\${place:+$place }$word" in`,
    `      ${paths(places).map(quote).join(' | ')}) place="\${place:+$place }$word" ;;`,
    '    esac',
    '  done',
  ];
}

function paths(places: readonly Place[]): string[] {
  return places.map(({ path }) => path).filter((path) => path !== '');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
