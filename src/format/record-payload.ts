/**
 * What a log record says, as MessagePack: [meta, [nil..., bytes, nil..., bytes, ..., nil]].
 * meta is the record without its batches' bytes; these follow in the same order. The nils before each of them are
 * padding that lets its bytes begin at a multiple of 8, counted from the payload's start, so that a batch is used
 * where it lies. The binary items are put in by hand: their bytes are copied once, into their place.
 * The last nil has two bits: zeros in the place of a payload's end, which a lost sector leaves, are never what one flipped
 * bit makes. Payloads of the first stores lack it.
 * Invariants: a payload decodes alone (no record extensions) and owns its memory; no BigInt stands in it.
 */
import { Packr } from 'msgpackr';
import { invariant } from '../base/index.js';

export interface RecordBatch {
  readonly shard: number;
  readonly dimensionId: number;
  /** An encoded batch; 8-aligned in its buffer when it comes from `decodeRecordPayload`. */
  readonly bytes: Uint8Array;
}

/**
 * What makes a write take effect once: SHA-256 (base64url) of what names it (database, key, endpoint and the client's
 * Idempotency-Key) and of its body. The answer follows from the record.
 */
export interface RecordOnce {
  readonly id: string;
  readonly bodyHash: string;
}

/** One write of several; the next `batchCount` batches of the record are its own. */
export type ScriptStep =
  | {
      readonly step: 'insert';
      readonly batchCount: number;
      readonly entityCount: number;
      readonly valueCount: number;
    }
  | {
      /** An update has one batch, whose only entity stands for each that is changed; a delete has none. */
      readonly step: 'update' | 'delete';
      readonly batchCount: number;
      readonly dimensionId: number;
      /** In plain form (ir/plain.ts). */
      readonly condition: unknown;
    };

export type LogRecord =
  | {
      readonly type: 'insert';
      /** The request's time, which `now` and absent event dates mean. */
      readonly timeMs: number;
      readonly databaseId: number;
      /** Changes of the catalog in plain form, applied before the batches. */
      readonly changes: readonly unknown[];
      /** By which the batches were split: a later start may use another count. */
      readonly shardCount: number;
      /** The answer; 0 in records of the first stores. */
      readonly entityCount: number;
      readonly valueCount: number;
      readonly once: RecordOnce | null;
      readonly batches: readonly RecordBatch[];
    }
  | { readonly type: 'catalog'; readonly timeMs: number; readonly changes: readonly unknown[] }
  | {
      /** Entities that satisfy the condition at this LSN are changed or deleted. */
      readonly type: 'update' | 'delete';
      readonly timeMs: number;
      readonly databaseId: number;
      readonly dimensionId: number;
      /** In plain form (ir/plain.ts). */
      readonly condition: unknown;
      readonly once: RecordOnce | null;
      /** Of an update one, whose only entity stands for each that is changed; of a delete none. */
      readonly batches: readonly RecordBatch[];
    }
  | {
      /**
       * Several inserts, updates and deletes that take effect one behind the other, in this order, and together. Since
       * version 2 of the log file.
       */
      readonly type: 'script';
      readonly timeMs: number;
      readonly databaseId: number;
      /** By which the batches of inserts were split. */
      readonly shardCount: number;
      readonly once: RecordOnce | null;
      readonly steps: readonly ScriptStep[];
      /** Those of the first step, then those of the second, and so on. */
      readonly batches: readonly RecordBatch[];
    }
  | {
      /** Events of one column that are older than `beforeSeconds` (of the Unix epoch) are taken away. */
      readonly type: 'expire';
      readonly timeMs: number;
      readonly databaseId: number;
      readonly dimensionId: number;
      readonly columnId: number;
      readonly beforeSeconds: number;
    };

const NIL = 0xc0;
const BIN32 = 0xc6;
const ARRAY_OF_TWO = 0x92;
const ARRAY32 = 0xdd;
const BIN32_HEAD_BYTES = 5;
const ARRAY32_HEAD_BYTES = 5;

const packr = new Packr({ useRecords: false });

/** Nils that bring the bytes of a binary item whose head would begin at `at` to a multiple of 8. */
const nilsBefore = (at: number): number => -(at + BIN32_HEAD_BYTES) & 7;

export interface EncodedRecord {
  readonly payload: Uint8Array;
  /** Byte offsets of the batches' bytes in `payload`, in their order. */
  readonly batchOffsets: readonly number[];
}

/** One buffer that nobody else holds. */
export function encodeRecordPayload(record: LogRecord): Uint8Array {
  return encodeRecord(record, (bytes) => Buffer.allocUnsafeSlow(bytes)).payload;
}

/** Writes the payload into what `allocate` gives: a view of exactly that many bytes that begins 8-aligned. */
export function encodeRecord(record: LogRecord, allocate: (bytes: number) => Uint8Array): EncodedRecord {
  const batches = 'batches' in record ? record.batches : [];
  const places = batches.map(({ shard, dimensionId }) => [shard, dimensionId]);
  const meta = packr.pack({ ...record, batches: places });
  const start = 1 + meta.byteLength + ARRAY32_HEAD_BYTES;
  let end = start;
  let itemCount = 0;
  for (const { bytes } of batches) {
    const nils = nilsBefore(end);
    end += nils + BIN32_HEAD_BYTES + bytes.byteLength;
    itemCount += nils + 1;
  }
  const given = allocate(end + 1);
  const payload = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const batchOffsets: number[] = [];
  payload[0] = ARRAY_OF_TWO;
  payload.set(meta, 1);
  payload[start - ARRAY32_HEAD_BYTES] = ARRAY32;
  payload.writeUInt32BE(itemCount + 1, start - 4);
  let at = start;
  for (const { bytes } of batches) {
    const nils = nilsBefore(at);
    payload.fill(NIL, at, at + nils);
    at += nils;
    payload[at] = BIN32;
    payload.writeUInt32BE(bytes.byteLength, at + 1);
    payload.set(bytes, at + BIN32_HEAD_BYTES);
    batchOffsets.push(at + BIN32_HEAD_BYTES);
    at += BIN32_HEAD_BYTES + bytes.byteLength;
  }
  payload[at] = NIL;
  return { payload, batchOffsets };
}

/** `bytes` itself when it begins 8-aligned in its buffer, else a copy that does. */
function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
}

/** The batches' bytes are views of `payload` where that begins 8-aligned, else copies. Throws on what is no record. */
interface Meta {
  readonly type: string;
  readonly batches: readonly [number, number][];
}

export function decodeRecordPayload(payload: Uint8Array): LogRecord {
  const [{ batches: places, ...meta }, items] = packr.unpack(payload) as [Meta, unknown[]];
  const parts = items.filter((item) => item !== null) as Uint8Array[];
  invariant(parts.length === places.length, 'a log record lacks the bytes of a batch');
  const batches = places.map(([shard, dimensionId], index) => ({
    shard,
    dimensionId,
    bytes: aligned(parts[index]),
  }));
  switch (meta.type) {
    case 'insert':
      return { ...FIRST_INSERTS, ...meta, batches } as unknown as LogRecord;
    case 'update':
    case 'delete':
    case 'script':
      return { ...meta, batches } as unknown as LogRecord;
    case 'catalog':
    case 'expire':
      return meta as unknown as LogRecord;
    default:
      invariant(false, `a log record has the unknown type ${JSON.stringify(meta.type)}`);
  }
}

/** What the inserts of the first stores did not say. */
const FIRST_INSERTS = { entityCount: 0, valueCount: 0, once: null };
