/**
 * How the parser's inside says no: a thrown `InsertFault`, which never leaves this folder (`parseInsert` returns it
 * as a WireError). It carries the byte at which it was found, because the fault that stands first in the document
 * is the one to answer, whichever pass finds it.
 */
import type { ErrorCode } from '../base/index.js';

export class InsertFault {
  readonly code: ErrorCode;
  /** 0-based byte of the body. */
  readonly offset: number;
  readonly text: string;

  constructor(code: ErrorCode, offset: number, text: string) {
    this.code = code;
    this.offset = offset;
    this.text = text;
  }
}

export function syntaxFault(offset: number, what: string): InsertFault {
  return new InsertFault(1503, offset, `invalid JSON at byte ${offset}: ${what}`);
}
