/** The man page quarry(1), generated from the table of commands and their help texts. */

export interface ManCommand {
  readonly name: string;
  readonly group: string;
  readonly synopsis: string;
  readonly summary: string;
  readonly help: string;
}

export interface ManPage {
  readonly release: string;
  readonly commands: readonly ManCommand[];
  readonly exitCodes: readonly (readonly [code: number, meaning: string])[];
}

export function manPage({ release, commands, exitCodes }: ManPage): string {
  const groups = [...new Set(commands.map(({ group }) => group))];
  return [
    `.TH QUARRY 1 "" "Quarry ${roff(release)}" "Quarry"`,
    '.SH NAME',
    'quarry \\- an analytical database server for entities and their events',
    '.SH SYNOPSIS',
    '.B quarry',
    '.I COMMAND',
    '[\\fIOPTION\\fR]...',
    '.SH DESCRIPTION',
    ...groups.flatMap((group) => [
      `.SS ${roff(group)}`,
      ...commands
        .filter((command) => command.group === group)
        .flatMap(({ name, synopsis, summary }) => [
          '.TP',
          `.B ${[name, synopsis].filter(Boolean).map(roff).join(' ')}`,
          line(summary),
        ]),
    ]),
    '.SH COMMANDS',
    ...commands.flatMap(({ name, help }) => [
      `.SS quarry ${name}`,
      '.nf',
      ...help.trimEnd().split('\n').map(line),
      '.fi',
    ]),
    '.SH EXIT STATUS',
    ...exitCodes.flatMap(([code, meaning]) => ['.TP', `.B ${code}`, line(meaning)]),
    '',
  ].join('\n');
}

const roff = (text: string): string => text.replaceAll('\\', '\\e').replaceAll('-', '\\-');

/** Escapes a dot or an apostrophe at the start of a line, which would start a roff request. */
const line = (text: string): string => roff(text).replace(/^(?=[.'])/, '\\&');
