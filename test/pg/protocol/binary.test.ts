import t from 'tap';
import { rowsInFormats } from '../../../src/pg/protocol/binary.js';

/** A DataRow message of texts. */
function dataRow(values: readonly (string | null)[]): Buffer {
  const fields = values.flatMap((value) => {
    const head = Buffer.alloc(4);
    head.writeInt32BE(value === null ? -1 : Buffer.byteLength(value));
    return value === null ? [head] : [head, Buffer.from(value)];
  });
  const start = Buffer.alloc(7);
  const message = Buffer.concat([start, ...fields]);
  message[0] = 0x44;
  message.writeInt32BE(message.length - 1, 1);
  message.writeInt16BE(values.length, 5);
  return message;
}

/** The fields of one DataRow message. */
function fieldsOf(message: Buffer): (Buffer | null)[] {
  const found: (Buffer | null)[] = [];
  for (let at = 7; at < message.length; ) {
    const length = message.readInt32BE(at);
    found.push(length < 0 ? null : message.subarray(at + 4, at + 4 + length));
    at += 4 + Math.max(0, length);
  }
  return found;
}

t.test('numbers of every width get their binary form, texts stay, missing values stay', async (t) => {
  const values = ['-2', '70000', '4294967295', '1.5', '-9007199254740993', 'ü', null];
  const types = [21, 23, 26, 700, 20, 19, 23];
  const row = rowsInFormats(dataRow(values), types, Array<number>(types.length).fill(1));
  const [int2, int4, oid, float4, int8, name, missing] = fieldsOf(row);
  t.equal(int2?.readInt16BE(), -2);
  t.equal(int4?.readInt32BE(), 70_000);
  t.equal(oid?.readUInt32BE(), 4_294_967_295);
  t.equal(float4?.readFloatBE(), 1.5);
  t.equal(int8?.readBigInt64BE(), -9_007_199_254_740_993n);
  t.equal(name?.toString(), 'ü');
  t.equal(missing, null);
  t.equal(row.readInt32BE(1), row.length - 1);
});

t.test('a type without a binary form is refused, as text it is sent', async (t) => {
  const row = dataRow(['{1,2}']);
  t.throws(() => rowsInFormats(row, [1007], [1]), { message: /the binary format of type 1007/ });
  t.equal(rowsInFormats(row, [1007], [0]), row);
});
