/** Reads the messages of the extended protocol. All functions throw 08P01 for a message that is not valid. */
import { ProtocolError } from './errors.js';
import type { MessageReader } from './message-reader.js';

export interface ParseMessage {
  readonly name: string;
  readonly text: string;
  /** The types of the first parameters; 0 = left open. */
  readonly typeIds: readonly number[];
}

export function readParse(body: MessageReader): ParseMessage {
  const name = body.text();
  const text = body.text();
  const typeIds = Array.from({ length: body.count() }, () => body.int32() >>> 0);
  body.expectEnd();
  return { name, text, typeIds };
}

export interface BindMessage {
  /** The name of the portal. */
  readonly name: string;
  readonly preparedName: string;
  /** The formats of the parameters: none, one for all, or one each. */
  readonly formatCodes: readonly number[];
  readonly values: readonly (Buffer | null)[];
  /** The formats of the columns of the rows: none, one for all, or one each. */
  readonly formats: readonly number[];
}

export function readBind(body: MessageReader): BindMessage {
  const name = body.text();
  const preparedName = body.text();
  const formatCodes = Array.from({ length: body.count() }, () => body.int16());
  const values = Array.from({ length: body.count() }, () => {
    const byteCount = body.int32();
    return byteCount === -1 ? null : body.take(byteCount);
  });
  const formats = Array.from({ length: body.count() }, () => body.int16());
  body.expectEnd();
  return { name, preparedName, formatCodes, values, formats };
}

/** Reads what Describe and Close name: a prepared statement (S) or a portal (P). */
export function readTarget(body: MessageReader): { readonly target: 'S' | 'P'; readonly name: string } {
  const target = String.fromCharCode(body.byte());
  const name = body.text();
  body.expectEnd();
  if (target === 'S' || target === 'P') return { target, name };
  throw new ProtocolError('08P01', 'Describe and Close require a statement (S) or a portal (P)');
}
