/**
 * Turns bodies of records into lines while they arrive, one record each, by changing single bytes: the length of a body and the
 * offsets in it stay.
 *   JSON  the items of a list, or objects one after the other, on any number of lines: the commas between items become line
 *         breaks, and other line breaks spaces
 *   CSV   line breaks inside quoted values become QUOTED_BREAK, which the parser of records turns back
 */
import { QUOTED_BREAK } from '../../ingest/index.js';
import type { RecordBody } from '../auth/admission.js';
import { ParquetParts } from '../parquet/parquet-parts.js';
import { ArrowParts } from './arrow-parts.js';
import { BodyParts } from './body-parts.js';
import type { PartSource } from './part-source.js';
import type { ServerContext } from './server-context.js';

const LINE_BREAK = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** A control character, which no JSON string may contain. */
const BROKEN = 0x01;
const NOT_UTF8 = 0xfe;

export interface RecordLines {
  /** Changes `chunk` in place. */
  change(chunk: Uint8Array): void;
  /** What is wrong with the end of the body; null = nothing. */
  end(): string | null;
}

/** How a body is divided into parts; null = it has lines of entities. */
export function partsOf(
  body: RecordBody | null,
  { budget, arrowBatchBytesMax, parquet }: Pick<ServerContext, 'budget' | 'arrowBatchBytesMax' | 'parquet'>,
): { parts: PartSource; records: RecordLines | null } {
  if (body === null) return { parts: new BodyParts(budget, 'auto-create'), records: null };
  switch (body.form) {
    case 'lines':
      return { parts: new BodyParts(budget, 'none'), records: null };
    case 'json':
      return { parts: new BodyParts(budget, 'none'), records: new JsonRecordLines() };
    case 'csv':
      return { parts: new BodyParts(budget, 'first'), records: new CsvRecordLines(body.mapping.delimiter) };
    case 'arrow':
      return { parts: new ArrowParts(budget, arrowBatchBytesMax), records: null };
    case 'parquet':
      return { parts: new ParquetParts(budget, parquet), records: null };
  }
}

export class JsonRecordLines implements RecordLines {
  /** Of objects and lists, the list of records included. */
  #depth = 0;
  /** The records are items of a list. */
  #inList = false;
  #inString = false;
  #isEscaped = false;

  change(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#inString = false;
        // Invalid, but still one record.
        if (byte === LINE_BREAK) chunk[at] = BROKEN;
      } else if (byte === QUOTE) this.#inString = true;
      else chunk[at] = this.#outside(byte);
    }
  }

  /** The byte that replaces `byte`, which is not in a string. */
  #outside(byte: number): number {
    const level = this.#inList ? 1 : 0;
    switch (byte) {
      case OPEN_OBJECT:
        this.#depth++;
        return byte;
      case CLOSE_OBJECT:
        if (this.#depth > level) this.#depth--;
        return byte;
      case OPEN_LIST:
        if (this.#depth++ > 0) return byte;
        this.#inList = true;
        return SPACE;
      case CLOSE_LIST:
        if (this.#depth > level) this.#depth--;
        else if (this.#inList) {
          this.#depth = 0;
          this.#inList = false;
          // A record that follows the list is a line of its own.
          return LINE_BREAK;
        }
        return byte;
      case COMMA:
        return this.#inList && this.#depth === 1 ? LINE_BREAK : byte;
      case LINE_BREAK:
        return this.#depth === 0 ? byte : SPACE;
      default:
        return byte;
    }
  }

  end(): string | null {
    return this.#depth === 0 && !this.#inString ? null : 'the body ends inside a record or a list of records';
  }
}

export class CsvRecordLines implements RecordLines {
  readonly #delimiter: number;
  #inQuotes = false;
  /** A quote here begins a quoted value. */
  #atStart = true;

  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  change(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      // Invalid as the byte was, but not a line break.
      if (byte === QUOTED_BREAK) chunk[at] = NOT_UTF8;
      if (this.#inQuotes) {
        if (byte === QUOTE) this.#inQuotes = false;
        else if (byte === LINE_BREAK) chunk[at] = QUOTED_BREAK;
        // The second of two quotes continues the value.
        this.#atStart = byte === QUOTE;
      } else {
        this.#inQuotes = byte === QUOTE && this.#atStart;
        this.#atStart = byte === this.#delimiter || byte === LINE_BREAK;
      }
    }
  }

  end(): string | null {
    return this.#inQuotes ? 'the body ends inside a quoted value' : null;
  }
}
