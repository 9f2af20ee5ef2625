/**
 * Reads the rows of COPY ... FROM STDIN, in text and CSV, from parts of their bytes. A line ends with \n, with \r\n or, in text,
 * with an unescaped \r; a line with \. alone ends the data.
 */
import { ProtocolError } from '../../protocol/errors.js';
import type { CopyOptions } from './copy-statement.js';

/** `text`: the row as it was sent. `line`: the number of its last line, from 1, as PostgreSQL counts. */
export type ReadRow = (values: readonly (string | null)[], line: number, text: string) => void;

const LINE_CHARS_MAX = 5 * 2 ** 20;
const bad = (what: string): ProtocolError => new ProtocolError('22P04', what);

export class CopyRows {
  readonly #options: CopyOptions;
  readonly #read: ReadRow;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #rest = '';
  /** Characters of `rest` without an end of row, and whether they end inside quotes. */
  #scanned = 0;
  #isQuoted = false;
  /** The next character is escaped. */
  #isEscaped = false;
  #rowCount = 0;
  #lineCount = 0;
  #skipsHeader: boolean;
  #hasEnded = false;

  constructor(options: CopyOptions, read: ReadRow) {
    this.#options = options;
    this.#read = read;
    this.#skipsHeader = options.header;
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  /** Throws 22P04, 22021, and the errors of `read`. */
  add(bytes: Uint8Array): void {
    this.#rest += this.#decoded(bytes, false);
    let begin = 0;
    for (;;) {
      const end = this.#endOfRow(begin + this.#scanned);
      if (end === -1) break;
      this.#row(this.#rest.slice(begin, end));
      begin = end + 1;
      this.#scanned = 0;
    }
    this.#rest = this.#rest.slice(begin);
    this.#scanned = this.#rest.length;
    if (this.#rest.length > LINE_CHARS_MAX) throw bad(`a row has more than ${LINE_CHARS_MAX} characters`);
  }

  end(): void {
    this.#rest += this.#decoded(new Uint8Array(0), true);
    if (this.#isQuoted) throw bad('unterminated CSV quoted field');
    if (this.#rest !== '') this.#row(this.#rest);
  }

  #decoded(bytes: Uint8Array, isLast: boolean): string {
    try {
      return this.#decoder.decode(bytes, { stream: !isLast });
    } catch {
      throw new ProtocolError('22021', 'the data of COPY is not valid UTF-8');
    }
  }

  /** The position of the next \n outside quotes; -1 = none yet. */
  #endOfRow(from: number): number {
    const { format, quote, escapeSign } = this.#options;
    if (format === 'text') return this.#rest.indexOf('\n', from);
    for (let at = from; at < this.#rest.length; at++) {
      const unit = this.#rest[at];
      if (this.#isEscaped) this.#isEscaped = false;
      else if (unit === escapeSign && escapeSign !== quote && this.#isQuoted) this.#isEscaped = true;
      else if (unit === quote) this.#isQuoted = !this.#isQuoted;
      else if (unit === '\n' && !this.#isQuoted) return at;
    }
    return -1;
  }

  #row(written: string): void {
    const text = written.endsWith('\r') ? written.slice(0, -1) : written;
    if (this.#hasEnded) return;
    this.#lineCount += written.split('\n').length;
    if (text === '\\.') {
      this.#hasEnded = true;
      return;
    }
    if (this.#skipsHeader) {
      this.#skipsHeader = false;
      return;
    }
    this.#rowCount++;
    const values = this.#options.format === 'csv' ? this.#csvValues(text) : this.#textValues(text);
    this.#read(values, this.#lineCount, text);
  }

  #textValues(text: string): (string | null)[] {
    const { delimiter, missing } = this.#options;
    const values: (string | null)[] = [];
    let begin = 0;
    for (let at = 0; at <= text.length; at++) {
      if (text[at] === '\\') at++;
      else if (at === text.length || text[at] === delimiter) {
        const value = text.slice(begin, at);
        values.push(value === missing ? null : unescaped(value));
        begin = at + 1;
      }
    }
    if (begin <= text.length) {
      if (text.endsWith('\\')) throw bad(`row ${this.#rowCount} ends with a backslash`);
    }
    return values;
  }

  #csvValues(text: string): (string | null)[] {
    const { delimiter, missing, quote, escapeSign } = this.#options;
    const values: (string | null)[] = [];
    let value = '';
    let wasQuoted = false;
    let isQuoted = false;
    for (let at = 0; at <= text.length; at++) {
      const unit = text[at];
      if (isQuoted) {
        if (unit === undefined) throw bad('unterminated CSV quoted field');
        const follows = text[at + 1];
        if (unit === escapeSign && (follows === quote || follows === escapeSign)) {
          value += follows;
          at++;
        } else if (unit === quote) isQuoted = false;
        else value += unit;
      } else if (unit === undefined || unit === delimiter) {
        values.push(value === missing && !wasQuoted ? null : value);
        value = '';
        wasQuoted = false;
      } else if (unit === quote) {
        isQuoted = true;
        wasQuoted = true;
      } else value += unit;
    }
    return values;
  }
}

const UNESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Replaces \n, \\ and the like, \101 (octal) and \x41. Throws 22021 for a zero. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|(.))/gs, (_all, octal, hex, other) => {
    if (other !== undefined) return UNESCAPES[other] ?? other;
    const code = octal === undefined ? Number.parseInt(hex, 16) : Number.parseInt(octal, 8);
    if (code === 0 || code > 127)
      throw new ProtocolError('22021', 'an escape in the data of COPY must be a character from 1 to 127');
    return String.fromCharCode(code);
  });
}
