/**
 * The messages of an Arrow IPC stream (Message.fbs of the Arrow format, metadata V4 and V5): each is
 *   u32 0xffffffff | u32 metadata bytes m | m flatbuffers metadata | body
 * The bytes may be damaged or hostile: every read is within them, and whatever does not fit throws ArrowError.
 */
import { FlatTable } from '../../column/index.js';

/** What is wrong with an Arrow stream. */
export class ArrowError extends Error {}

export type ArrowMessageKind = 'schema' | 'dictionary' | 'batch';

export interface ArrowMessage {
  readonly kind: ArrowMessageKind;
  /** The Schema, DictionaryBatch or RecordBatch table. */
  readonly header: FlatTable;
  /** Offset of the body. */
  readonly bodyAt: number;
  readonly bodyBytes: number;
}

const CONTINUATION = 0xffff_ffff;
const PREFIX_BYTES = 8;
/** A schema of 5,000 columns takes some hundred KB. */
export const METADATA_BYTES_MAX = 4 * 2 ** 20;

/** Slots of Message.fbs, Schema.fbs and File.fbs. */
const MESSAGE = { headerType: 1, header: 2, bodyLength: 3 } as const;
const DICTIONARY_BATCH = { id: 0, data: 1, isDelta: 2 } as const;
const RECORD_BATCH_LENGTH = 0;
const KINDS: ReadonlyMap<number, ArrowMessageKind> = new Map([
  [1, 'schema'],
  [2, 'dictionary'],
  [3, 'batch'],
]);

/**
 * The message at `at`, whose body may not have arrived yet; null = its metadata is not whole within `bytes`; 'end' = the end of
 * the stream.
 */
export function arrowMessageAt(bytes: Uint8Array, at: number): ArrowMessage | 'end' | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (at + PREFIX_BYTES > bytes.length) return null;
  if (view.getUint32(at, true) !== CONTINUATION) {
    throw new ArrowError(`no message of an Arrow stream begins at byte ${at}`);
  }
  const metadataBytes = view.getUint32(at + 4, true);
  if (metadataBytes === 0) return 'end';
  if (metadataBytes > METADATA_BYTES_MAX) {
    throw new ArrowError(
      `the metadata of the message at byte ${at} has more than ${METADATA_BYTES_MAX} bytes`,
    );
  }
  const metadataAt = at + PREFIX_BYTES;
  const bodyAt = metadataAt + metadataBytes;
  if (bodyAt > bytes.length) return null;
  return checked(`the message at byte ${at}`, () => {
    const message = FlatTable.root(bytes.subarray(metadataAt, bodyAt));
    const kind = KINDS.get(message.u8(MESSAGE.headerType, 0));
    const header = message.table(MESSAGE.header);
    if (kind === undefined || header === null)
      throw new ArrowError('it is no schema, dictionary or record batch');
    return { kind, header, bodyAt, bodyBytes: message.size(MESSAGE.bodyLength) };
  });
}

/** The rows of a record batch. */
export const rowCountOf = (batch: FlatTable): number => batch.size(RECORD_BATCH_LENGTH);

export interface DictionaryHead {
  readonly id: number;
  /** Values that are added to those of the dictionary, instead of replacing them. */
  readonly isDelta: boolean;
  readonly values: FlatTable;
}

export function dictionaryHeadOf(header: FlatTable): DictionaryHead {
  const values = header.table(DICTIONARY_BATCH.data);
  if (values === null) throw new ArrowError('a dictionary has no values');
  const isDelta = header.u8(DICTIONARY_BATCH.isDelta, 0) !== 0;
  return { id: header.size(DICTIONARY_BATCH.id), isDelta, values };
}

/** Runs `read` over bytes that may be damaged; whatever it throws becomes an ArrowError about `what`. */
export function checked<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ArrowError || error instanceof RangeError || error instanceof TypeError) {
      throw new ArrowError(`${what} is damaged: ${error.message}`);
    }
    throw error;
  }
}
