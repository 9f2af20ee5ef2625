import t from 'tap';
import { parameterValue } from '../../../src/pg/protocol/parameters.js';
import { int32 } from '../raw-client.js';

const BINARY = 1;
const [OID, UUID, JSONB, NAME] = [26, 2950, 3802, 19];
const [INT8S, TEXTS, BOOLS] = [1016, 1009, 1000];

const UNREADABLE = { message: /cannot be read|has 16 bytes, not 15/ };

/** An array of one dimension; null = NULL. */
const arrayOf = (typeId: number, elements: readonly (Buffer | null)[]): Buffer =>
  Buffer.concat([
    int32(1, elements.includes(null) ? 1 : 0, typeId, elements.length, 1),
    ...elements.flatMap((element) => (element === null ? [int32(-1)] : [int32(element.length), element])),
  ]);
const text = (bytes: Buffer, typeId: number): unknown => {
  const value = parameterValue(bytes, typeId, BINARY);
  return 'text' in value ? value.text : value;
};

t.test('binary parameters of types of the catalog', async (t) => {
  t.equal(text(Buffer.of(255, 255, 255, 254), OID), '4294967294');
  t.equal(
    text(Buffer.from('00112233445566778899aabbccddeeff', 'hex'), UUID),
    '00112233-4455-6677-8899-aabbccddeeff',
  );
  t.equal(text(Buffer.from('\x01{"a":1}'), JSONB), '{"a":1}');
  t.equal(text(Buffer.from('people'), NAME), 'people');
  t.throws(() => text(Buffer.from('{}'), JSONB), UNREADABLE);
  t.throws(() => text(Buffer.alloc(15), UUID), UNREADABLE);
  t.throws(() => text(Buffer.alloc(4), 600), { message: /of type 600 are not supported/ });
});

t.test('binary arrays have the text form of PostgreSQL', async (t) => {
  const seven = Buffer.from([0, 0, 0, 0, 0, 0, 0, 7]);
  t.equal(text(arrayOf(20, [seven, null]), INT8S), '{"7",NULL}');
  t.equal(text(arrayOf(25, [Buffer.from('a"b\\c'), Buffer.from('')]), TEXTS), '{"a\\"b\\\\c",""}');
  t.equal(text(arrayOf(16, [Buffer.of(1), Buffer.of(0)]), BOOLS), '{"true","false"}');
  t.equal(text(int32(0, 0, 25), TEXTS), '{}');
  t.throws(() => text(int32(2, 0, 25, 1, 1, 1, 1), TEXTS), { message: /several dimensions/ });
  t.throws(() => text(arrayOf(TEXTS, [arrayOf(25, [])]), TEXTS), { message: /arrays of arrays/ });
  const whole = arrayOf(25, [Buffer.from('ab'), Buffer.from('c')]);
  for (let length = 0; length < whole.length; length++) {
    t.throws(() => text(whole.subarray(0, length), TEXTS), UNREADABLE, `${length} bytes`);
  }
  t.throws(() => text(Buffer.concat([whole, Buffer.of(0)]), TEXTS), UNREADABLE);
});
