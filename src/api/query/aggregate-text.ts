/**
 * Writes answers of aggregations as JSON text. JSON.stringify does not fit: numbers are tokens of any length, and
 * JavaScript objects treat some names, such as `__proto__` and "7", specially.
 */
import { ANSWER_CHARS_MAX, invariant, QuarryError } from '../../base/index.js';
import type { AggregateAnswer, BucketRow, ValueRow } from '../../ir/index.js';
import { formatDateTime } from '../../schema/index.js';

/** The text of an answer, built from parts, with a length limit. */
export class AnswerText {
  readonly #parts: string[] = [];
  readonly #charsMax: number;
  #chars = 0;

  constructor(charsMax: number = ANSWER_CHARS_MAX) {
    this.#charsMax = charsMax;
  }

  /** Throws 9006 if the text becomes too long. */
  write(part: string): void {
    this.#chars += part.length;
    if (this.#chars > this.#charsMax) {
      throw new QuarryError(9006, `the answer is longer than ${this.#charsMax} characters`);
    }
    this.#parts.push(part);
  }

  /** Writes `open`, each item with `writeItem`, separated by commas, and `close`. */
  writeAll<Item>(open: string, items: readonly Item[], close: string, writeItem: (item: Item) => void): void {
    this.write(open);
    items.forEach((item, index) => {
      if (index > 0) this.write(',');
      writeItem(item);
    });
    this.write(close);
  }

  toString(): string {
    return this.#parts.join('');
  }
}

/** The names of a plan's levels in its answer. */
export interface LevelNames {
  /** Columns, outermost first, the column of a metric last. */
  readonly columns: readonly string[];
  /** null = the query has no metric. */
  readonly metric: string | null;
}

/** Writes a whole answer: an object with one member, named after the outermost column. */
export function writeAnswer(text: AnswerText, names: LevelNames, answer: AggregateAnswer): void {
  text.write('{');
  writeLevel(text, names, 0, answer);
  text.write('}');
}

/** Writes the member with the result of the level `depth`, without braces. */
function writeLevel(text: AnswerText, names: LevelNames, depth: number, answer: AggregateAnswer): void {
  const { columns, metric } = names;
  text.write(`${JSON.stringify(columns[depth])}:`);
  if (answer.answers === 'values') {
    text.writeAll('[', answer.rows, ']', (row) => writeRow(text, names, depth, row));
    return;
  }
  invariant(metric !== null, 'an answer with a metric has a metric in its query');
  if (answer.answers === 'buckets') writeBuckets(text, metric, answer.rows);
  else text.write(`{${JSON.stringify(metric)}:${answer.token}}`);
}

/** Writes a row. The next level is left out if it has no row. */
function writeRow(text: AnswerText, names: LevelNames, depth: number, row: ValueRow): void {
  const { quantity, value, next } = row;
  text.write(`{"quantity":${quantity},"value":${JSON.stringify(value)}`);
  if (next !== null && (next.answers === 'metric' || next.rows.length > 0)) {
    text.write(',');
    writeLevel(text, names, depth + 1, next);
  }
  text.write('}');
}

/** Writes a histogram: a list of objects with `name` and their bounds. */
export function writeBuckets(text: AnswerText, name: string, rows: readonly BucketRow[]): void {
  const key = JSON.stringify(name);
  text.writeAll('[', rows, ']', ({ token, from, to }) => {
    text.write(`{${key}:${token},"between":["${formatDateTime(from)}","${formatDateTime(to)}"]}`);
  });
}
