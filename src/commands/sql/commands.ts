/** The commands of the prompt, which begin with a backslash. */
import type { DimensionColumn, DimensionModel } from '../export/dimension.js';
import { suggestionOf } from '../nearest.js';
import { printable } from '../printable.js';
import { SQL_FORMATS, type SqlFormat } from './run-statement.js';
import { drawTable, type Terminal } from './table.js';

export const PROMPT_HELP = `  \\d            list dimensions       \\d NAME       list the columns of a dimension
  \\format NAME  ${SQL_FORMATS.filter((format) => format !== 'arrow').join(', ')}
  \\x            switch between tables and one value per line
  \\timing       switch the display of times on or off
  \\o FILE       write answers to FILE; without FILE, to the terminal again
  \\?            show this text        \\q, quit, exit leave (also Ctrl-D)
  A statement ends with ; and may span several lines. Tab completes names. Ctrl-C stops a statement or clears the line.
`;

/** A command of the prompt. */
export type PromptCommand =
  | { readonly do: 'quit' | 'help' | 'timing' | 'vertical' | 'dimensions' }
  | { readonly do: 'columns'; readonly dimension: string }
  | { readonly do: 'format'; readonly format: SqlFormat }
  | { readonly do: 'output'; readonly file: string | null }
  | { readonly do: 'nothing'; readonly wrong: string };

const LEAVING_WORD = /^(?:quit|exit)\s*;?$/i;

/**
 * Reads a line as a command; null = the line is SQL. Within an open statement only \q and \quit are commands, because no
 * statement contains such a line.
 */
export function promptCommandOf(line: string, inStatement: boolean): PromptCommand | null {
  const text = line.trim();
  if (inStatement) return text === '\\q' || text === '\\quit' ? { do: 'quit' } : null;
  if (LEAVING_WORD.test(text)) return { do: 'quit' };
  return text.startsWith('\\') ? readPromptCommand(text) : null;
}

function readPromptCommand(line: string): PromptCommand {
  const [word, ...others] = line.trim().split(/\s+/);
  const argument = others.length === 0 ? null : others.join(' ');
  switch (word) {
    case '\\q':
    case '\\quit':
      return { do: 'quit' };
    case '\\?':
      return { do: 'help' };
    case '\\timing':
      return { do: 'timing' };
    case '\\x':
      return { do: 'vertical' };
    case '\\d':
      return argument === null
        ? { do: 'dimensions' }
        : { do: 'columns', dimension: argument.replace(/^\[|\]$/g, '') };
    case '\\o':
      return { do: 'output', file: argument };
    case '\\format': {
      const format = SQL_FORMATS.find((one) => one === argument && one !== 'arrow');
      if (format !== undefined) return { do: 'format', format };
      return { do: 'nothing', wrong: '\\format takes one of table, vertical, csv, json, ndjson' };
    }
    default:
      return { do: 'nothing', wrong: `unknown command ${printable(word)}; \\? lists the commands` };
  }
}

const textCell = (text: string) => ({ text: printable(text), is: 'text' }) as const;
const countCell = (count: number) => ({ text: String(count), is: 'number' }) as const;

export function dimensionsText(models: readonly DimensionModel[], terminal: Terminal): string {
  const rows = models.map(({ name, attributes, events }) => [
    textCell(name),
    countCell(attributes.length),
    countCell(events.length),
  ]);
  return drawTable({ names: ['dimension', 'attribute columns', 'event columns'], rows }, terminal);
}

export function columnsText(models: readonly DimensionModel[], name: string, terminal: Terminal): string {
  const model = models.find((one) => one.name === name);
  if (model === undefined) {
    const names = models.map((one) => one.name);
    return `there is no dimension ${printable(name)}${suggestionOf(name, names)}\n`;
  }
  const id: DimensionColumn = { apiName: 'entity-id', type: 'unique-id', isList: false };
  const rows = [id, ...model.attributes, ...model.events].map(({ apiName, type, isList }) => [
    textCell(apiName),
    textCell(isList ? `list of ${type}` : type),
    textCell(type.endsWith('-event') ? `[${apiName}.value], [${apiName}.date]` : `[${apiName}]`),
  ]);
  return drawTable({ names: ['column', 'type', 'in SQL'], rows }, terminal);
}
