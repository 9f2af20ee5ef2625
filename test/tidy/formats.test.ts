/**
 * The layouts that are drawn at the head of the format files agree with the bytes that the encoders write: each drawn
 * field is compared with the bytes at its offset in an encoded example.
 */
import { crc32 } from 'node:zlib';
import t, { type Test } from 'tap';
import { BATCH_VERSION, type Batch, batchBytes, encodeBatch, FORMS, KINDS } from '../../src/column/index.js';
import {
  encodeLogFileHeader,
  encodeManifest,
  frameRecord,
  LOG_FILE_HEADER_BYTES,
  LOG_FORMAT_VERSION,
  MANIFEST_MAGIC,
  MANIFEST_VERSION,
  preparePayload,
  RECORD_HEADER_BYTES,
} from '../../src/format/index.js';
import { read } from './source.js';

interface Field {
  readonly offset: number;
  readonly bytes: number;
  readonly name: string;
  readonly meaning: string;
}

/** The fields of the drawing under the comment line that contains `title`, up to the first field without a size. */
function drawn(file: string, title: string): Map<string, Field> {
  const lines = read(file).split('\n').slice(0, 60);
  const start = lines.findIndex((line) => line.includes(title));
  const head = lines.findIndex((line, index) => index > start && /offset +size +field/.test(line));
  const fields = new Map<string, Field>();
  for (const line of lines.slice(head + 1)) {
    const match = /^ \* +(\d+) +(\d+|n) +(\w+) +(.*)$/.exec(line);
    if (match === null) break;
    const [, offset, size, name, meaning] = match;
    fields.set(name, {
      offset: Number(offset),
      bytes: size === 'n' ? Number.NaN : Number(size),
      name,
      meaning,
    });
  }
  return fields;
}

/** Checks that there are no gaps between fields. Returns the offset after the last field with a size. */
function checkedEnd(t: Test, fields: ReadonlyMap<string, Field>): number {
  let end = 0;
  for (const { name, offset, bytes } of fields.values()) {
    t.equal(offset, end, `${name} begins where the field before it ends`);
    if (Number.isNaN(bytes)) break;
    end += bytes;
  }
  return end;
}

/** The bytes of the drawn field as a little-endian unsigned integer. */
function value(bytes: Uint8Array, field: Field | undefined): bigint {
  if (field === undefined) throw new Error('the field is not drawn');
  let sum = 0n;
  for (let index = field.bytes - 1; index >= 0; index--)
    sum = (sum << 8n) | BigInt(bytes[field.offset + index]);
  return sum;
}

const version = (field: Field | undefined): number => Number(/u16, (\d+)/.exec(field?.meaning ?? '')?.[1]);
const magic = (field: Field | undefined): string => /['"](\w+)['"]/.exec(field?.meaning ?? '')?.[1] ?? '';
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

t.test('a log file header has the drawn layout', async (t) => {
  const fields = drawn('src/format/record.ts', 'Log file header');
  const bytes = encodeLogFileHeader(0x1122_3344_5566_7788n, 9_876_543_210);
  t.equal(checkedEnd(t, fields), LOG_FILE_HEADER_BYTES);
  t.equal(bytes.length, LOG_FILE_HEADER_BYTES);
  t.equal(latin1(bytes.subarray(0, fields.get('magic')?.bytes)), magic(fields.get('magic')));
  t.equal(version(fields.get('version')), LOG_FORMAT_VERSION);
  t.equal(value(bytes, fields.get('version')), BigInt(LOG_FORMAT_VERSION));
  t.equal(value(bytes, fields.get('logId')), 0x1122_3344_5566_7788n);
  t.equal(value(bytes, fields.get('firstLsn')), 9_876_543_210n);
  t.equal(value(bytes, fields.get('reserved')), 0n);
  t.equal(fields.get('crc32')?.meaning, 'over [0, 28)');
  t.equal(value(bytes, fields.get('crc32')), BigInt(crc32(bytes.subarray(0, 28))));
});

t.test('a log record has the drawn layout', async (t) => {
  const fields = drawn('src/format/record.ts', 'Log record');
  const payload = Uint8Array.of(1, 2, 3, 4, 5);
  const state = { syncedLsn: 6_999_999_999, checkpointLsn: 6_999_000_000 };
  const frame = Buffer.concat(frameRecord(preparePayload(payload), 7_000_000_000, 42n, state));
  t.equal(checkedEnd(t, fields), RECORD_HEADER_BYTES);
  t.equal(fields.get('payload')?.offset, RECORD_HEADER_BYTES);
  t.equal(frame.length % 8, 0, 'padded');
  t.equal(value(frame, fields.get('payloadBytes')), 5n);
  t.equal(value(frame, fields.get('lsn')), 7_000_000_000n);
  t.equal(value(frame, fields.get('logId')), 42n);
  t.equal(value(frame, fields.get('syncedLsn')), 6_999_999_999n);
  t.equal(value(frame, fields.get('checkpoint')), 1_000_000n);
  t.strictSame(Uint8Array.from(frame.subarray(40, 45)), payload);
  t.equal(fields.get('crc32')?.meaning, 'over [40, 40 + payloadBytes + padding), then [4, 40)');
  t.equal(value(frame, fields.get('crc32')), BigInt(crc32(frame.subarray(4, 40), crc32(frame.subarray(40)))));
});

t.test('a manifest has the drawn layout', async (t) => {
  const fields = drawn('src/format/manifest.ts', 'Manifest v');
  const manifest = { storeId: 's', checkpointLsn: 5, shardCount: 2, createdMs: 3, catalog: null, files: [] };
  const bytes = encodeManifest(manifest);
  const end = checkedEnd(t, fields);
  t.equal(fields.get('content')?.offset, end);
  t.equal(magic(fields.get('magic')), MANIFEST_MAGIC);
  t.equal(latin1(bytes.subarray(0, fields.get('magic')?.bytes)), MANIFEST_MAGIC);
  t.equal(version(fields.get('version')), MANIFEST_VERSION);
  t.equal(value(bytes, fields.get('version')), BigInt(MANIFEST_VERSION));
  t.equal(value(bytes, fields.get('contentBytes')), BigInt(bytes.length - end));
  t.equal(fields.get('crc32')?.meaning, 'CRC-32 (zlib) over [0, 8), then [12, 16 + contentBytes)');
  t.equal(value(bytes, fields.get('crc32')), BigInt(crc32(bytes.subarray(12), crc32(bytes.subarray(0, 8)))));
});

/** The words of a line such as `head  version = 1 | dimensionId | reserved x3 = 0`, one name per word. */
function drawnWords(line: string): string[] {
  return line.split('|').flatMap((part) => {
    const [, name, times] = /^(\w+)(?: \w(?!\w))?(?: x(\d))?/.exec(part.trim()) ?? [];
    return new Array<string>(Number(times ?? 1)).fill(name);
  });
}

t.test('the head and the section heads of a batch have the drawn layout', async (t) => {
  const text = read('src/column/batch.ts');
  const head = drawnWords(/\* +head +(.*)/.exec(text)?.[1] ?? '');
  const section = drawnWords(/\* +sections +each: (.*), then/.exec(text)?.[1] ?? '');
  t.equal(Number(/version = (\d+)/.exec(text)?.[1]), BATCH_VERSION);
  const batch: Batch = {
    dimensionId: 77,
    rowCount: 2,
    idHashes: Uint32Array.of(11, 12),
    idOffsets: Uint32Array.of(0, 1, 3),
    idBytes: Uint8Array.of(97, 98, 99),
    sections: [
      {
        columnId: 5,
        form: 'event',
        rows: Uint32Array.of(0, 1, 1),
        counts: null,
        dates: Uint32Array.of(100, 101, 102),
        relationId: 9,
        valueCount: 3,
        values: {
          kind: 'code',
          hashes: Uint32Array.of(1, 2, 3),
          offsets: Uint32Array.of(0, 1, 2, 4),
          bytes: Uint8Array.of(120, 121, 122, 122),
        },
      },
    ],
  };
  const buffer = new ArrayBuffer(batchBytes(batch));
  encodeBatch(batch, buffer, 0);
  const words = new Uint32Array(buffer);
  const named = (names: readonly string[], at: number) =>
    Object.fromEntries(names.map((name, index) => [name, words[at + index]]));
  t.equal(head.length, 8);
  t.strictSame(named(head, 0), {
    version: BATCH_VERSION,
    dimensionId: 77,
    rowCount: 2,
    sectionCount: 1,
    idByteCount: 3,
    reserved: 0,
  });
  // ids: two hashes, three offsets and a pad, three bytes and padding: each part 8-aligned.
  const sectionAt = 8 + 2 + 4 + 2;
  t.equal(section.length, 8);
  t.strictSame(named(section, sectionAt), {
    columnId: 5,
    form: FORMS.indexOf('event'),
    kind: KINDS.indexOf('code'),
    entryCount: 3,
    valueCount: 3,
    byteCount: 4,
    relationId: 9,
    reserved: 0,
  });
  t.strictSame([...words.subarray(sectionAt + 8, sectionAt + 8 + 3)], [0, 1, 1], 'rows');
  t.strictSame([...words.subarray(sectionAt + 12, sectionAt + 12 + 3)], [100, 101, 102], 'dates');
});
