/**
 * Completion scripts for bash, zsh and fish, generated from the table of commands and their help texts.
 * They complete commands, options, fixed arguments of a command, and paths.
 */
import { type ArgumentKind, argumentKindOf, type HelpOption } from './help-options.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export interface DescribedCommand {
  readonly name: string;
  /** The arguments shown after the name in the list of commands. */
  readonly synopsis: string;
  readonly summary: string;
  readonly options: readonly HelpOption[];
  /** Literal first arguments, such as `resume` of retention. */
  readonly fixed: readonly string[];
}

export function completionScript(shell: Shell, commands: readonly DescribedCommand[]): string {
  const lines = { bash: bashLines, zsh: zshLines, fish: fishLines }[shell](commands);
  return `${lines.join('\n')}\n`;
}

const kindOfSynopsis = ({ synopsis }: DescribedCommand): ArgumentKind =>
  argumentKindOf(synopsis.replace(/[[\].]/g, ''));
const namesOf = (commands: readonly DescribedCommand[]): string => commands.map(({ name }) => name).join(' ');
const flagsOf = ({ options }: DescribedCommand): readonly string[] =>
  options.flatMap(({ flag, short }) => (short === null ? [flag] : [flag, short]));
const quotedText = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function bashLines(commands: readonly DescribedCommand[]): string[] {
  const paths = { directory: '_quarry_paths -d', file: '_quarry_paths -f', other: ':' } as const;
  return [
    '# bash completion for quarry, made by `quarry completion bash`.',
    '_quarry_paths() {',
    '  compopt -o filenames 2>/dev/null',
    '  mapfile -t COMPREPLY < <(compgen "$1" -- "$2")',
    '}',
    '',
    '_quarry_words() {',
    '  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")',
    '}',
    '',
    '_quarry() {',
    `  local command="\${COMP_WORDS[1]}" current="$2" previous="$3"`,
    '  COMPREPLY=()',
    '  if ((COMP_CWORD == 1)); then',
    `    _quarry_words "${namesOf(commands)} --help --version" "$current"`,
    '    return',
    '  fi',
    // The value of an option comes before the arguments of a command.
    '  case "$command $previous" in',
    ...commands.flatMap((command) =>
      command.options.flatMap(({ flag, short, argument }) => {
        if (argument === null) return [];
        const pattern = [flag, ...(short === null ? [] : [short])].map((one) => `"${command.name} ${one}"`);
        return [`    ${pattern.join(' | ')}) ${paths[argumentKindOf(argument)]} "$current"; return ;;`];
      }),
    ),
    '  esac',
    '  case "$command" in',
    ...commands.map((command) => {
      const fixed = command.name === 'help' ? namesOf(commands) : command.fixed.join(' ');
      const flags = `-*) _quarry_words "${flagsOf(command).join(' ')}" "$current" ;;`;
      const rest =
        fixed === '' ? `${paths[kindOfSynopsis(command)]} "$current"` : `_quarry_words "${fixed}" "$current"`;
      return `    ${command.name}) case "$current" in ${flags} *) ${rest} ;; esac ;;`;
    }),
    '  esac',
    '}',
    '',
    'complete -F _quarry quarry',
  ];
}

function zshLines(commands: readonly DescribedCommand[]): string[] {
  const actions = { directory: '_files -/', file: '_files', other: ' ' } as const;
  const bracketed = (text: string): string => text.replace(/[[\]:\\]/g, '\\$&');
  const specOf = ({ flag, short, argument, summary }: HelpOption): string[] =>
    [flag, ...(short === null ? [] : [short])].map((one) => {
      const value = argument === null ? '' : `:${bracketed(argument)}:${actions[argumentKindOf(argument)]}`;
      return quotedText(`*${one}[${bracketed(summary)}]${value}`);
    });
  const restOf = (command: DescribedCommand): string => {
    const fixed = command.name === 'help' ? namesOf(commands) : command.fixed.join(' ');
    return quotedText(fixed === '' ? `*: :${actions[kindOfSynopsis(command)]}` : `*: :(${fixed})`);
  };
  return [
    '#compdef quarry',
    '# zsh completion for quarry, made by `quarry completion zsh`.',
    '_quarry() {',
    '  local -a commands',
    '  commands=(',
    ...commands.map(({ name, summary }) => `    ${quotedText(`${name}:${bracketed(summary)}`)}`),
    '  )',
    '  if (( CURRENT == 2 )); then',
    "    _describe 'command' commands",
    '    return',
    '  fi',
    '  local command=$words[2]',
    '  shift words',
    '  (( CURRENT-- ))',
    '  case $command in',
    ...commands.flatMap((command) => [
      `    ${command.name})`,
      ...[...command.options.flatMap(specOf), restOf(command)].map(
        (spec, index) => `      ${index === 0 ? '_arguments ' : '  '}${spec} \\`,
      ),
      '      ;;',
    ]),
    '  esac',
    '}',
    '',
    'if [[ $funcstack[1] == _quarry ]]; then _quarry "$@"; else compdef _quarry quarry; fi',
  ];
}

function fishLines(commands: readonly DescribedCommand[]): string[] {
  const text = (value: string): string => `'${value.replace(/['\\]/g, '\\$&')}'`;
  const values = {
    directory: "-x -a '(__fish_complete_directories)'",
    file: '-r -F',
    other: '-x',
  } as const;
  return [
    '# fish completion for quarry, made by `quarry completion fish`.',
    'complete -c quarry -f',
    'complete -c quarry -n __fish_use_subcommand -l help',
    'complete -c quarry -n __fish_use_subcommand -l version',
    ...commands.flatMap((command) => {
      const when = `complete -c quarry -n '__fish_seen_subcommand_from ${command.name}'`;
      const fixed = command.name === 'help' ? namesOf(commands) : command.fixed.join(' ');
      const kind = kindOfSynopsis(command);
      return [
        `complete -c quarry -n __fish_use_subcommand -a ${command.name} -d ${text(command.summary)}`,
        ...(fixed === '' ? [] : [`${when} -a ${text(fixed)}`]),
        ...(kind === 'file' ? [`${when} -F`] : []),
        ...(kind === 'directory' ? [`${when} ${values.directory.slice(3)}`] : []),
        ...command.options.map(({ flag, short, argument, summary }) => {
          const names = `-l ${flag.slice(2)}${short === null ? '' : ` -s ${short.slice(1)}`}`;
          const value = argument === null ? '' : ` ${values[argumentKindOf(argument)]}`;
          return `${when} ${names}${value} -d ${text(summary)}`;
        }),
      ];
    }),
  ];
}
