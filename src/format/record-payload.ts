/**
 * The payload of a log record, as MessagePack: [meta, [nil..., bytes, nil..., bytes, ..., nil]].
 * meta is the record without the bytes of its batches; these follow in the same order. The nils before each batch are
 * padding: the batch begins at a multiple of 8, counted from the payload's start, and can be used in place. The binary items
 * are encoded here and not by msgpackr, so that their bytes are copied only once.
 * The last nil has two bits set: a lost sector leaves zeros at the end of a payload, which a single bit flip can then never
 * explain. Payloads of the first releases lack it.
 * Invariants: a payload is decoded without any other payload (no record extensions), owns its memory and contains no BigInt.
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
 * Identifies a write with an Idempotency-Key: `id` is the SHA-256 (base64url) of database, key, endpoint and
 * Idempotency-Key, `bodyHash` the one of the body. The answer is derived from the record.
 */
export interface RecordIdempotency {
  readonly id: string;
  readonly bodyHash: string;
}

/** One write of a script; the next `batchCount` batches of the record belong to it. */
export type ScriptStep =
  | {
      readonly step: 'insert';
      readonly batchCount: number;
      readonly entityCount: number;
      readonly valueCount: number;
      /** The entities existed, and the answer has the number of updated entities. Absent = false. */
      readonly updates?: boolean;
      /** The step belongs to the statement of the step before it, whose answer includes its counts. Absent = false. */
      readonly continues?: boolean;
    }
  | {
      /** An update has one batch, whose only entity has the values for all changed entities; a delete has none. */
      readonly step: 'update' | 'delete';
      readonly batchCount: number;
      readonly dimensionId: number;
      /** In plain form (ir/plain.ts). */
      readonly condition: unknown;
    };

export type LogRecord =
  | {
      readonly type: 'insert';
      /** Time of the request: the value of `now` and of absent event dates. */
      readonly timeMs: number;
      readonly databaseId: number;
      /** Changes of the catalog in plain form, applied before the batches. */
      readonly changes: readonly unknown[];
      /** The shard count by which the batches were split: a later start may use another one. */
      readonly shardCount: number;
      /** The counts in the answer; 0 in records of the first releases. */
      readonly entityCount: number;
      readonly valueCount: number;
      readonly once: RecordIdempotency | null;
      /** Lines that are kept in a quarantine, whose entities are not in the counts. Absent = 0. */
      readonly quarantinedCount?: number;
      /** The keys of its lines (base/line-key.ts), those in the quarantine included. Absent = none. */
      readonly lineKeys?: Uint8Array;
      /** Lines that were left out, because their keys were known. Absent = 0. */
      readonly duplicateCount?: number;
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
      readonly once: RecordIdempotency | null;
      /** An update has one batch, whose only entity has the values for all changed entities; a delete has none. */
      readonly batches: readonly RecordBatch[];
    }
  | {
      /**
       * Several inserts, updates and deletes that are applied in this order and become visible together. Since version 2 of
       * the log file.
       */
      readonly type: 'script';
      readonly timeMs: number;
      readonly databaseId: number;
      /** The shard count by which the batches of inserts were split. */
      readonly shardCount: number;
      readonly once: RecordIdempotency | null;
      /** Changes of the catalog in plain form, applied before the steps. Absent = none. Since version 3 of the log file. */
      readonly changes?: readonly unknown[];
      readonly steps: readonly ScriptStep[];
      /** The batches of the first step, then those of the second, and so on. */
      readonly batches: readonly RecordBatch[];
    }
  | {
      /** Removes the events of one column that are older than `beforeSeconds` (Unix time). */
      readonly type: 'expire';
      readonly timeMs: number;
      readonly databaseId: number;
      readonly dimensionId: number;
      readonly columnId: number;
      readonly beforeSeconds: number;
    };

/** The changes of the catalog in a record, in plain form. */
export const changesIn = (record: LogRecord): readonly unknown[] =>
  'changes' in record ? (record.changes ?? []) : [];

const NIL = 0xc0;
const BIN32 = 0xc6;
const ARRAY_OF_TWO = 0x92;
const ARRAY32 = 0xdd;
const BIN32_HEAD_BYTES = 5;
const ARRAY32_HEAD_BYTES = 5;

const packr = new Packr({ useRecords: false });

/** Number of nils that align the bytes of a binary item to 8 when its head would begin at `at`. */
const nilsBefore = (at: number): number => -(at + BIN32_HEAD_BYTES) & 7;

export interface EncodedRecord {
  readonly payload: Uint8Array;
  /** Byte offsets of the batches' bytes in `payload`, in their order. */
  readonly batchOffsets: readonly number[];
}

/** Encodes a record into a buffer of its own. */
export function encodeRecordPayload(record: LogRecord): Uint8Array {
  return encodeRecord(record, (bytes) => Buffer.allocUnsafeSlow(bytes)).payload;
}

/** Writes the payload into the view that `allocate` returns, which has exactly the requested bytes and is 8-aligned. */
export function encodeRecord(record: LogRecord, allocate: (bytes: number) => Uint8Array): EncodedRecord {
  const batches = 'batches' in record ? record.batches : [];
  const offsets = batches.map(({ shard, dimensionId }) => [shard, dimensionId]);
  const meta = packr.pack({ ...record, batches: offsets });
  const start = 1 + meta.byteLength + ARRAY32_HEAD_BYTES;
  let end = start;
  let itemCount = 0;
  for (const { bytes } of batches) {
    const nils = nilsBefore(end);
    end += nils + BIN32_HEAD_BYTES + bytes.byteLength;
    itemCount += nils + 1;
  }
  const target = allocate(end + 1);
  const payload = Buffer.from(target.buffer, target.byteOffset, target.byteLength);
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

interface Meta {
  readonly type: string;
  readonly batches: readonly [number, number][];
}

/** The batches' bytes are views of `payload` if it begins 8-aligned, else copies. Throws when `payload` is not a record. */
export function decodeRecordPayload(payload: Uint8Array): LogRecord {
  const [{ batches: positions, ...meta }, items] = packr.unpack(payload) as [Meta, unknown[]];
  const parts = items.filter((item) => item !== null) as Uint8Array[];
  invariant(parts.length === positions.length, 'a log record lacks the bytes of a batch');
  const batches = positions.map(([shard, dimensionId], index) => ({
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

/** Defaults of fields that inserts of the first releases lack. */
const FIRST_INSERTS = { entityCount: 0, valueCount: 0, once: null };
