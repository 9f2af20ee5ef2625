/** Server messages of the Postgres protocol, version 3, each `u8 kind, i32 bytes, rest`. */
import { type ErrorFields, NO_DETAILS } from './errors.js';

/** A column in RowDescription. */
export interface RowField {
  readonly name: string;
  /** The type's OID in the catalog of Postgres. */
  readonly typeId: number;
  /** Bytes of a value; -1 = variable. */
  readonly typeSize: number;
  /** -1 = none. */
  readonly modifier: number;
}

export type TransactionState = 'I' | 'T' | 'E';

/** Format codes of the protocol. */
export const TEXT_FORMAT = 0;
export const BINARY = 1;

const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const text = (value: string): Buffer => Buffer.from(`${value.replaceAll('\0', '')}\0`, 'utf8');

function message(kind: string, ...parts: readonly Uint8Array[]): Buffer {
  const byteCount = parts.reduce((sum, part) => sum + part.length, 4);
  return Buffer.concat([Buffer.from(kind, 'latin1'), int32(byteCount), ...parts]);
}

/** Requests the key in clear text; only sent over TLS or to clients on this machine. */
export const requestPassword = (): Buffer => message('R', int32(3));
/** Offers mechanisms of SASL. */
export const requestSasl = (mechanisms: readonly string[]): Buffer =>
  message('R', int32(10), ...mechanisms.map(text), Buffer.of(0));
export const saslContinue = (data: string): Buffer => message('R', int32(11), Buffer.from(data, 'utf8'));
export const saslFinal = (data: string): Buffer => message('R', int32(12), Buffer.from(data, 'utf8'));
export const authenticated = (): Buffer => message('R', int32(0));
export const parameterStatus = (name: string, value: string): Buffer => message('S', text(name), text(value));
export const backendKey = (processId: number, secret: number): Buffer =>
  message('K', int32(processId), int32(secret));
export const readyForQuery = (state: TransactionState): Buffer => message('Z', Buffer.from(state, 'latin1'));
export const commandComplete = (tag: string): Buffer => message('C', text(tag));
export const emptyQuery = (): Buffer => message('I');
export const parseComplete = (): Buffer => message('1');
export const bindComplete = (): Buffer => message('2');
export const closeComplete = (): Buffer => message('3');
export const noData = (): Buffer => message('n');
export const portalSuspended = (): Buffer => message('s');
/** The reply to clients that request a newer protocol version or unknown protocol options. */
export const negotiateVersion = (options: readonly string[]): Buffer =>
  message('v', int32(196_608), int32(options.length), ...options.map(text));

export const parameterDescription = (typeIds: readonly number[]): Buffer =>
  message('t', int16(typeIds.length), ...typeIds.map(uint32));

/** `formats` has TEXT or BINARY for each field. */
export function rowDescription(fields: readonly RowField[], formats: readonly number[]): Buffer {
  const parts = fields.flatMap(({ name, typeId, typeSize, modifier }, index) => [
    text(name),
    // The columns belong to no table.
    int32(0),
    int16(0),
    uint32(typeId),
    int16(typeSize),
    int32(modifier),
    int16(formats[index]),
  ]);
  return message('T', int16(fields.length), ...parts);
}

/** CopyInResponse (G) or CopyOutResponse (H); all columns have the format. */
export const copyResponse = (kind: 'G' | 'H', format: number, columnCount: number): Buffer =>
  message(
    kind,
    Buffer.of(format),
    int16(columnCount),
    Buffer.concat(Array<Buffer>(columnCount).fill(int16(format))),
  );
export const copyData = (bytes: Uint8Array): Buffer => message('d', bytes);
export const copyDone = (): Buffer => message('c');

/** `values` are the values as bytes; null = NULL. */
export function dataRow(values: readonly (Uint8Array | null)[]): Buffer {
  const parts = values.flatMap((field) => (field === null ? [int32(-1)] : [int32(field.length), field]));
  return message('D', int16(values.length), ...parts);
}

export type Severity = 'ERROR' | 'FATAL';

export function errorResponse(fields: ErrorFields, severity: Severity = 'ERROR'): Buffer {
  return message('E', ...noticeFields(fields, severity));
}

export function notice(state: string, sentence: string): Buffer {
  return message('N', ...noticeFields({ ...NO_DETAILS, state, message: sentence }, 'WARNING'));
}

function noticeFields(fields: ErrorFields, severity: string): Uint8Array[] {
  const errorFields: readonly (readonly [string, string | null])[] = [
    ['S', severity],
    ['V', severity],
    ['C', fields.state],
    ['M', fields.message],
    ['D', fields.detail],
    ['H', fields.hint],
    ['P', fields.position === null ? null : String(fields.position)],
    ['W', fields.context],
    ['R', fields.routine],
  ];
  const parts = errorFields.flatMap(([code, value]) => (value === null ? [] : [text(`${code}${value}`)]));
  return [...parts, Buffer.of(0)];
}

/** The consecutive messages in `bytes`, each with its kind and length. */
export function* messagesIn(bytes: Buffer): Generator<Buffer, void, void> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    yield bytes.subarray(at, end);
    at = end;
  }
}

/** The fields of a RowDescription. */
export function fieldsIn(description: Buffer): readonly RowField[] {
  let at = 7;
  return Array.from({ length: description.readUInt16BE(5) }, () => {
    const end = description.indexOf(0, at);
    const name = description.toString('utf8', at, end);
    at = end + 19;
    return {
      name,
      typeId: description.readUInt32BE(end + 7),
      typeSize: description.readInt16BE(end + 11),
      modifier: description.readInt32BE(end + 13),
    };
  });
}
