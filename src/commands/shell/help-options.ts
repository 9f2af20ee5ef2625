/** Reads the options of a command from its help text, the only list of options that every command has. */

export interface HelpOption {
  /** With its two dashes. */
  readonly flag: string;
  /** With its dash; null = there is none. */
  readonly short: string | null;
  /** Name of the value in the help text, such as DIR; null = a switch. */
  readonly argument: string | null;
  /** The first line of its description; may be empty. */
  readonly summary: string;
}

const OPTION_LINE = /^ {2,}(?:-\w, )?--[a-z]/;
/** Two options may share a line. */
const NEXT_OPTION = / {3,}(?=--[a-z])/;
const OPTION = /^(?:(?<short>-\w), )?(?<flag>--[a-z][a-z-]*)(?: (?<argument>\S+))?(?: +(?<summary>.*))?$/;
const HELP: HelpOption = { flag: '--help', short: '-h', argument: null, summary: 'print the help text' };
/** The reference to another command's options in the first line of a help text. */
const OPTIONS_OF = /\[options of quarry (?<name>[a-z]+)\]/;

/** In the order of the help text; `helpOf` gives the help text of another command. */
export function optionsOf(help: string, helpOf: (name: string) => string): readonly HelpOption[] {
  const options = new Map<string, HelpOption>();
  const other = OPTIONS_OF.exec(help)?.groups?.name;
  for (const text of other === undefined ? [help] : [help, helpOf(other)]) {
    for (const option of text.split('\n').flatMap(optionsOfLine)) {
      if (!options.has(option.flag)) options.set(option.flag, option);
    }
  }
  if (!options.has(HELP.flag)) options.set(HELP.flag, HELP);
  return [...options.values()];
}

function optionsOfLine(line: string): HelpOption[] {
  if (!OPTION_LINE.test(line)) return [];
  return line
    .trim()
    .split(NEXT_OPTION)
    .flatMap((text): HelpOption[] => {
      const { flag, short = null, argument = null, summary = '' } = OPTION.exec(text)?.groups ?? {};
      return flag === undefined ? [] : [{ flag, short, argument, summary }];
    });
}

/** The literal first arguments in the usage lines at the beginning of a help text, such as `resume` for `[resume]`. */
export function fixedArguments({
  name,
  help,
}: {
  readonly name: string;
  readonly help: string;
}): readonly string[] {
  const usage = help.slice(0, help.indexOf('\n\n')).split('\n');
  const words = usage.flatMap((line) => {
    const [, text = ''] = new RegExp(`^quarry ${name} \\[?([a-z|-]+)\\]?(?= |$)`).exec(line) ?? [];
    return text === 'options' ? [] : text.split('|');
  });
  return [...new Set(words.filter((word) => word !== ''))];
}

/** The kind of a value of an option or argument: a path that shells complete, or another value. */
export type ArgumentKind = 'directory' | 'file' | 'other';

export function argumentKindOf(argument: string): ArgumentKind {
  if (/^(?:DIR|TO|BACKUP)$/.test(argument)) return 'directory';
  return /\b(?:FILE|PATH)\b/.test(argument) ? 'file' : 'other';
}
