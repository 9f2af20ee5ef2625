import t from 'tap';
import { Prng, QuarryError } from '../../../../src/base/index.js';
import { bytesField, fieldsOf, numberField, textIn } from '../../../../src/http/inlets/otlp/protobuf.js';
import { readLogsMessage } from '../../../../src/http/inlets/otlp/read-protobuf.js';

const text = (value: string): Buffer => Buffer.from(value);
const stringValue = (value: string): Buffer => bytesField(1, text(value));
const logs = (record: Buffer): Buffer => bytesField(1, bytesField(2, bytesField(2, record)));

t.test('numbers, texts and messages are read as they were written', async (t) => {
  const numbers = [0, 1, 127, 128, 300, 2 ** 31, Number.MAX_SAFE_INTEGER];
  for (const number of numbers) {
    t.strictSame(
      Array.from(fieldsOf(numberField(7, number)), ({ number, bits }) => [number, bits]),
      [[7, BigInt(number)]],
    );
  }
  const [field] = fieldsOf(bytesField(100, text('ü😀')));
  t.equal(field.number, 100);
  t.equal(textIn(field), 'ü😀');
});

t.test('a value of each type is read', async (t) => {
  const double = Buffer.alloc(9);
  double[0] = (4 << 3) | 1;
  double.writeDoubleLE(0.1, 1);
  const infinite = Buffer.from(double);
  infinite.writeDoubleLE(Number.POSITIVE_INFINITY, 1);
  const negative = Buffer.of(3 << 3, ...Array(9).fill(0xff), 0x01);
  const list = bytesField(5, Buffer.concat([bytesField(1, stringValue('a')), bytesField(1, negative)]));
  const pair = Buffer.concat([bytesField(1, text('__proto__')), bytesField(2, stringValue('x'))]);
  const bodyOf = (value: Buffer) => readLogsMessage(logs(bytesField(5, value)))[0].scopes[0].records[0].body;
  t.equal(bodyOf(stringValue('s')), 's');
  t.equal(bodyOf(numberField(2, 1)), true);
  t.match(bodyOf(negative), { text: '-1' });
  t.match(bodyOf(double), { text: '0.1' });
  t.equal(bodyOf(infinite), 'Infinity');
  t.match(bodyOf(list), ['a', { text: '-1' }]);
  t.strictSame(bodyOf(bytesField(6, bytesField(1, pair))), new Map([['__proto__', 'x']]));
  t.equal(bodyOf(bytesField(7, Buffer.of(1, 2))), 'AQI=');
  t.equal(bodyOf(Buffer.alloc(0)), undefined);
});

t.test('deeper values than the limit are refused', async (t) => {
  let value = stringValue('x');
  for (let level = 0; level < 10_000; level++) value = bytesField(5, bytesField(1, value));
  t.throws(() => readLogsMessage(logs(bytesField(5, value))), { code: 1503 });
});

t.test('damaged messages are read or refused with 1503', async (t) => {
  const seed = Date.now() % 1_000_000;
  t.comment(`seed ${seed}`);
  const random = new Prng(seed);
  const pair = Buffer.concat([bytesField(1, text('key')), bytesField(2, numberField(3, 12))]);
  const record = Buffer.concat([bytesField(5, stringValue('body')), bytesField(6, pair), numberField(2, 9)]);
  const whole = logs(record);
  let refusedCount = 0;
  for (let round = 0; round < 20_000; round++) {
    const damaged = Buffer.from(whole.subarray(0, random.between(0, whole.length)));
    const flips = random.below(3);
    for (let flip = 0; flip < flips && damaged.length > 0; flip++)
      damaged[random.below(damaged.length)] = random.below(256);
    try {
      readLogsMessage(damaged);
    } catch (error) {
      if (!(error instanceof QuarryError) || error.code !== 1503) throw error;
      refusedCount++;
    }
  }
  t.ok(refusedCount > 0 && refusedCount < 20_000, `${refusedCount} were refused`);
});
