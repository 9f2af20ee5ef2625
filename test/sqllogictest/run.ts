/** Runs a script on an engine and compares its results with those that the script expects. */
import { createHash } from 'node:crypto';
import type { Expected, QueryRecord, ScriptRecord, SortMode } from './script.js';

export type EngineValue = string | number | bigint | boolean | null;

export interface Engine {
  /** The names by which scripts skip or select the engine. */
  readonly names: readonly string[];
  /** Rejects with Refusal if the engine refuses the statement, and with another error if the engine fails. */
  execute(sql: string): Promise<void>;
  /** Rejects like `execute`. */
  query(sql: string): Promise<readonly (readonly EngineValue[])[]>;
  /** Drops all tables. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** The engine does not accept a statement. */
export class Refusal extends Error {}

export interface Finding {
  readonly line: number;
  readonly sql: string;
  readonly what: string;
}

export interface Report {
  /** Records with the expected result. */
  answered: number;
  /** Records with another result, or an error of the engine itself. */
  readonly wrong: Finding[];
  /** Records that the engine refuses although they have a result. */
  readonly refused: Finding[];
  /** Records for other engines. */
  skipped: number;
}

export const newReport = (): Report => ({ answered: 0, wrong: [], refused: [], skipped: 0 });

/** Runs the records and adds their outcomes to `report`. */
export async function runScript(
  engine: Engine,
  records: readonly ScriptRecord[],
  report: Report,
): Promise<void> {
  const labels = new Map<string, string>();
  for (const record of records) {
    if (isSkipped(record, engine)) {
      report.skipped++;
      continue;
    }
    if (record.is === 'halt') return;
    const finding = (what: string): Finding => ({ line: record.line, sql: record.sql, what });
    try {
      const what =
        record.is === 'query'
          ? differenceOf(record, await engine.query(record.sql), labels)
          : await statementDifference(engine, record.sql, record.isError);
      if (what === null) report.answered++;
      else report.wrong.push(finding(what));
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      (error instanceof Refusal ? report.refused : report.wrong).push(finding(what));
    }
  }
}

const isSkipped = ({ skippedBy, onlyFor }: ScriptRecord, { names }: Engine): boolean =>
  skippedBy.some((name) => names.includes(name)) ||
  (onlyFor.length > 0 && !onlyFor.some((name) => names.includes(name)));

async function statementDifference(engine: Engine, sql: string, isError: boolean): Promise<string | null> {
  if (!isError) {
    await engine.execute(sql);
    return null;
  }
  try {
    await engine.execute(sql);
    return 'the statement was accepted, but it must be refused';
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** How the rows differ from the expected ones; null = not at all. */
function differenceOf(
  { types, sort, label, expected }: QueryRecord,
  rows: readonly (readonly EngineValue[])[],
  labels: Map<string, string>,
): string | null {
  const other = rows.find((row) => row.length !== types.length);
  if (other !== undefined) return `${other.length} columns instead of ${types.length}`;
  const found = resultLines(rows, types, sort);
  if (label !== null) {
    const md5 = md5Of(found);
    const before = labels.get(label) ?? md5;
    labels.set(label, before);
    if (before !== md5) return `another result than the query before with label ${label}`;
  }
  return linesDifference(found, expected);
}

function linesDifference(found: readonly string[], expected: Expected): string | null {
  if ('md5' in expected) {
    const isEqual = found.length === expected.count && md5Of(found) === expected.md5;
    return isEqual ? null : `${found.length} values hashing to ${md5Of(found)}`;
  }
  if (found.length !== expected.length) return `${found.length} values instead of ${expected.length}`;
  const at = found.findIndex((line, index) => line !== expected[index]);
  return at === -1 ? null : `value ${at + 1} is ${found[at]} instead of ${expected[at]}`;
}

export const md5Of = (lines: readonly string[]): string =>
  createHash('md5')
    .update(lines.map((line) => `${line}\n`).join(''))
    .digest('hex');

/** The values of rows as lines of a script. */
export function resultLines(
  rows: readonly (readonly EngineValue[])[],
  types: string,
  sort: SortMode,
): readonly string[] {
  const lines = rows.map((row) => row.map((value, at) => lineOf(value, types[at])));
  if (sort === 'rowsort') lines.sort(compareRows);
  const all = lines.flat();
  return sort === 'valuesort' ? all.sort(compareLines) : all;
}

const compareLines = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function compareRows(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((line, index) => line !== b[index]);
  return at === -1 ? 0 : compareLines(a[at], b[at]);
}

function lineOf(value: EngineValue, type: string): string {
  if (value === null) return 'NULL';
  if (type === 'T') return textLine(String(value));
  const number = typeof value === 'boolean' ? (value ? '1' : '0') : String(value);
  if (type === 'R') return Number(number).toFixed(3);
  // Integers keep all digits; a fraction is cut off.
  const whole = /^([+-]?\d+)(\.\d*)?$/.exec(number);
  if (whole !== null) return whole[1] === '-0' ? '0' : whole[1];
  return String(Math.trunc(Number(number)));
}

const textLine = (text: string): string =>
  text === '' ? '(empty)' : text.replaceAll(/[^ -~]/gu, (letter) => '@'.repeat(Buffer.byteLength(letter)));
