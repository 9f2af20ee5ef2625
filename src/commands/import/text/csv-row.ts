/** Divides a row of CSV into fields. The row is whole, and its quotes are right (row-cutter.ts). */
import { newFields, type RowFields, type RowReader, TEXT, UNESCAPED } from './row-fields.js';

const QUOTE = 34;

export class CsvRow implements RowReader {
  readonly fields: RowFields;
  readonly #delimiter: number;
  readonly #width: number;
  #unescapedEnd = 0;

  /** `delimiter` is a byte of ASCII. */
  constructor(delimiter: number, width: number) {
    this.#delimiter = delimiter;
    this.#width = width;
    this.fields = newFields(width);
  }

  read(bytes: Uint8Array, start: number, end: number): boolean {
    const { kinds, from, to, emptyAt } = this.fields;
    const delimiter = this.#delimiter;
    const width = this.#width;
    emptyAt.length = 0;
    this.#unescapedEnd = 0;
    let column = 0;
    for (let at = start; ; at++) {
      if (column === width) return false;
      if (at < end && bytes[at] === QUOTE) at = this.#quoted(bytes, at + 1, end, column);
      else {
        kinds[column] = TEXT;
        from[column] = at;
        while (at < end && bytes[at] !== delimiter) at++;
        to[column] = at;
      }
      column++;
      if (at >= end) return column === width;
    }
  }

  /** Reads the field after the quote before `at`, and returns the offset after its closing quote. */
  #quoted(bytes: Uint8Array, start: number, end: number, column: number): number {
    const { kinds, from, to, emptyAt } = this.fields;
    let at = start;
    while (at < end && bytes[at] !== QUOTE) at++;
    kinds[column] = TEXT;
    from[column] = start;
    to[column] = at;
    if (at === start) emptyAt.push(column);
    return bytes[at + 1] === QUOTE && at + 1 < end ? this.#unescape(bytes, start, end, column) : at + 1;
  }

  #unescape(bytes: Uint8Array, start: number, end: number, column: number): number {
    const { kinds, from, to, unescaped, emptyAt } = this.fields;
    if (emptyAt.at(-1) === column) emptyAt.pop();
    let next = this.#unescapedEnd;
    kinds[column] = UNESCAPED;
    from[column] = next;
    let at = start;
    for (; at < end; at++) {
      if (bytes[at] === QUOTE) {
        if (at + 1 >= end || bytes[at + 1] !== QUOTE) break;
        at++;
      }
      unescaped[next++] = bytes[at];
    }
    to[column] = next;
    this.#unescapedEnd = next;
    return at + 1;
  }
}
