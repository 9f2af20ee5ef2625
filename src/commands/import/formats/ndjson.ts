/**
 * NDJSON (one JSON object per line, whose members are the row's columns) -> blocks of rows. Empty lines are skipped.
 * The columns are the members of the first rows, in order of appearance; a member that appears only later is left out, with
 * a note. In lines of `quarry export --format insert`, which name their dimension, such a member makes the whole line bad.
 * Integers beyond 2^53 and long decimals keep their digits.
 */

import { API_NAME } from '../mapping/server-model.js';
import { textBlocksOf } from '../text/row-cutter.js';
import { TextBlocks } from '../text/text-block.js';
import { jsonValue } from './json-value.js';
import { ImportError, type RowSource, type SourceObject } from './row-block.js';
import { brokenRow, type RowFormat, rowsOfBlocks, type TextRow, textBlocks } from './text-rows.js';

type JsonRow = TextRow<SourceObject>;

function parseLine(line: number, text: string): JsonRow {
  try {
    const value = jsonValue(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { line, text, read: { values: value as SourceObject } };
    }
    return brokenRow(line, text, 'the line is not a JSON object');
  } catch (error) {
    return brokenRow(line, text, `the line is not valid JSON: ${(error as Error).message}`);
  }
}

/** Rows with the members `names`. A column that is not in `used` is empty. `late` records members that are not in `names`. */
export function ndjsonFormat(
  names: readonly string[],
  used: readonly number[],
  late: (name: string, line: number) => void,
): RowFormat<SourceObject> {
  const known = new Set(names);
  return {
    read(line, text) {
      const row = parseLine(line, text);
      if ('values' in row.read)
        for (const key of Object.keys(row.read.values)) if (!known.has(key)) late(key, line);
      return row;
    },
    columnsOf: (objects) =>
      names.map((name, column) =>
        used.includes(column)
          ? objects.map((object) => (Object.hasOwn(object, name) ? object[name] : null))
          : [],
      ),
  };
}

/** Reads the first rows for the names of columns. Rejects with ImportError when there is no row. */
export async function ndjsonSource(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
  sampleRows: number,
): Promise<RowSource> {
  const textsOfLines = new TextBlocks(textBlocksOf(bytes, null, 1));
  const rows = rowsOfBlocks(textsOfLines.read(), { read: parseLine });
  const first: JsonRow[] = [];
  while (first.length < sampleRows) {
    const next = await rows.next();
    if (next.done === true) break;
    first.push(...next.value);
  }
  // Always the same number of rows, so that the same file always has the same columns.
  const behind = first.splice(sampleRows);
  const names = namesOf(first, name);
  const late = new Map<string, number>();
  const noteLate = (member: string, line: number): void => {
    if (!late.has(member) && late.size < LATE_NAMES_MAX) late.set(member, line);
  };
  const lineDimensions = dimensionsOf(first);
  const spoils = lineDimensions !== undefined;
  return {
    ...(lineDimensions === undefined ? {} : { lineDimensions }),
    columns: names.map((column) => ({ name: column, schema: null, unfit: null })),
    isText: false,
    rowCount: null,
    blocks: (skipRows, used) => {
      const known = new Set(names);
      const all = noticed(allOf(behind, rows), known, noteLate, spoils);
      return textBlocks(first, all, skipRows, ndjsonFormat(names, used, noteLate));
    },
    text: { delimiter: null, blocks: textsOfLines, noteLate },
    notes: () =>
      [...late].map(
        ([member, line]) =>
          `the member ${JSON.stringify(member)} is not in the first ${first.length} rows and is omitted (first on line ${line})`,
      ),
  };
}

function namesOf(first: readonly JsonRow[], name: string): string[] {
  const names = new Set<string>();
  for (const { read } of first) {
    if ('values' in read) for (const key of Object.keys(read.values)) names.add(key);
  }
  if (names.size > 0) return [...names];
  if (first.length === 0) throw new ImportError(`${name} is empty: expected one JSON object per line`);
  const [{ line, read }] = first;
  const wrong = 'wrong' in read ? read.wrong : 'the object is empty';
  throw new ImportError(`${name} has no rows of NDJSON: line ${line}: ${wrong}`);
}

async function* allOf(first: JsonRow[], rows: AsyncGenerator<JsonRow[]>): AsyncGenerator<JsonRow[]> {
  yield first;
  yield* rows;
}

/** The dimensions of rows in the form of `quarry export --format insert`: ID, then dimension; absent for other rows. */
function dimensionsOf(first: readonly JsonRow[]): readonly string[] | undefined {
  const named = new Set<string>();
  for (const { read } of first) {
    if ('wrong' in read) continue;
    const [id, dimension] = Object.keys(read.values);
    const { dimension: name } = read.values;
    if (id !== 'id' || dimension !== 'dimension' || typeof name !== 'string' || !API_NAME.test(name)) return;
    named.add(name);
  }
  return named.size === 0 ? undefined : [...named];
}

const LATE_NAMES_MAX = 20;

/** Notes members that are not in `known`, and their lines; `spoils` makes these lines bad rows. */
async function* noticed(
  rows: AsyncGenerator<JsonRow[]>,
  known: ReadonlySet<string>,
  noteLate: (name: string, line: number) => void,
  spoils: boolean,
): AsyncGenerator<JsonRow[]> {
  for await (const some of rows) {
    if (spoils) {
      yield some.map((row) => withoutLate(row, known));
      continue;
    }
    for (const { line, read } of some) {
      if ('wrong' in read) continue;
      for (const key of Object.keys(read.values)) if (!known.has(key)) noteLate(key, line);
    }
    yield some;
  }
}

/** The row as a bad row if it has a late member: the line of an entity is imported as a whole or not at all. */
function withoutLate({ line, text, read }: JsonRow, known: ReadonlySet<string>): JsonRow {
  const late = 'wrong' in read ? undefined : Object.keys(read.values).find((name) => !known.has(name));
  return late === undefined
    ? { line, text, read }
    : brokenRow(line, text, `${JSON.stringify(late)} is not in the first rows: import this line separately`);
}
