/**
 * The parser's internal error: a thrown `InsertError` never leaves this folder (`parseInsert` returns it as a
 * WireError). It carries a byte offset, because the request is answered with the first error in the document, whichever
 * pass finds it.
 */
import type { ErrorCode } from '../base/index.js';

export class InsertError {
  readonly code: ErrorCode;
  /** 0-based byte offset in the body. */
  readonly offset: number;
  readonly text: string;

  constructor(code: ErrorCode, offset: number, text: string) {
    this.code = code;
    this.offset = offset;
    this.text = text;
  }
}

export function syntaxError(offset: number, what: string): InsertError {
  return new InsertError(1503, offset, `invalid JSON at byte ${offset}: ${what}`);
}
