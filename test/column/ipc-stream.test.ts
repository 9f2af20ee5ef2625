import { tableFromIPC } from 'apache-arrow';
import t from 'tap';
import { batchMessage, STREAM_END, schemaMessage } from '../../src/column/index.js';

const SCHEMA = schemaMessage([
  { name: 'n', type: { kind: 'int64' } },
  { name: 'Имя', type: { kind: 'utf8' } },
]);

/** A message with two rows: 7 and "ab", missing and "c". */
function message(): Uint8Array {
  const { message, offsets } = batchMessage(2, [1, 0], [1, 16, 0, 12, 3]);
  t.ok(offsets.every((offset) => offset % 8 === 0));
  message[offsets[0]] = 0b01;
  new BigInt64Array(message.buffer, offsets[1], 2).set([7n, 0n]);
  new Int32Array(message.buffer, offsets[3], 3).set([0, 2, 3]);
  message.set(Buffer.from('abc'), offsets[4]);
  return message;
}

t.test('a stream consists of schema, batches and end marker', async (t) => {
  const table = tableFromIPC(Buffer.concat([SCHEMA, message(), message(), STREAM_END]));
  t.equal(table.batches.length, 2);
  const rows = table.toArray().map((row) => ({ ...row.toJSON() }));
  const two = [
    { n: 7n, Имя: 'ab' },
    { n: null, Имя: 'c' },
  ];
  t.strictSame(rows, [...two, ...two]);
  t.ok(table.schema.fields.every(({ nullable }) => nullable));
});

t.test('every message has a multiple of 8 bytes, and the end marker is a separate message', async (t) => {
  for (const bytes of [SCHEMA, message(), STREAM_END]) t.equal(bytes.length % 8, 0);
  t.equal(tableFromIPC(Buffer.concat([SCHEMA, STREAM_END])).numRows, 0);
});
