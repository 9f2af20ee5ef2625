/**
 * Answers of aggregations as JSON text. Written by hand: numbers are tokens of any length, and a name may be one that
 * an object of JavaScript treats in its own way.
 */
import { ANSWER_CHARS_MAX, invariant, QuarryError } from '../../base/index.js';
import type { AggregateAnswer, BucketRow, ValueRow } from '../../ir/index.js';
import { formatDateTime } from '../../schema/index.js';

/** The text of an answer, put together piece by piece and bounded. */
export class AnswerText {
  readonly #parts: string[] = [];
  readonly #charsMax: number;
  #chars = 0;

  constructor(charsMax: number = ANSWER_CHARS_MAX) {
    this.#charsMax = charsMax;
  }

  /** Throws 9006 when the text becomes too long. */
  write(part: string): void {
    this.#chars += part.length;
    if (this.#chars > this.#charsMax) {
      throw new QuarryError(9006, `the answer is longer than ${this.#charsMax} characters`);
    }
    this.#parts.push(part);
  }

  /** `open`, then what `writeItem` writes of each item, with commas between, then `close`. */
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

/** What the levels of a plan are called in its answer. */
export interface LevelNames {
  /** Columns, outermost first, that of a metric last. */
  readonly columns: readonly string[];
  /** null without one. */
  readonly metric: string | null;
}

/** Writes a whole answer: an object with one member, named after the outermost column. */
export function writeAnswer(text: AnswerText, names: LevelNames, answer: AggregateAnswer): void {
  text.write('{');
  writeLevel(text, names, 0, answer);
  text.write('}');
}

/** The member that holds what was found at the level `depth`, without braces. */
function writeLevel(text: AnswerText, names: LevelNames, depth: number, answer: AggregateAnswer): void {
  const { columns, metric } = names;
  text.write(`${JSON.stringify(columns[depth])}:`);
  if (answer.answers === 'values') {
    text.writeAll('[', answer.rows, ']', (row) => writeRow(text, names, depth, row));
    return;
  }
  invariant(metric !== null, 'a metric is answered where one was asked');
  if (answer.answers === 'buckets') writeBuckets(text, metric, answer.rows);
  else text.write(`{${JSON.stringify(metric)}:${answer.token}}`);
}

/** The next level is left out where it has no row. */
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
