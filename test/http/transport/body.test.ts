import t from 'tap';
import { BODY_BYTES_MAX, Prng } from '../../../src/base/index.js';
import { BodyReader, ByteBudget } from '../../../src/http/transport/body.js';

const AHEAD_BYTES_MAX = 256 * 1024;
const STEP_BYTES = 64 * 1024;

t.test('a body that arrives in pieces of any size is read unchanged', (t) => {
  const seed = 20_240;
  const random = new Prng(seed);
  for (let round = 0; round < 60; round++) {
    const bytes = new Uint8Array(random.below(400_000)).map(() => random.below(256));
    const budget = new ByteBudget(BODY_BYTES_MAX);
    const declared = [null, bytes.length, bytes.length + 7][random.below(3)];
    const reader = new BodyReader(budget, declared, BODY_BYTES_MAX);
    for (let at = 0; at < bytes.length; ) {
      const size = 1 + random.below(random.below(2) === 0 ? 5_000 : 200_000);
      const piece = bytes.slice(at, at + size);
      t.equal(reader.add(piece.buffer), 'added');
      at += piece.length;
      const most = Math.max(2 * Math.min(at, bytes.length), at + AHEAD_BYTES_MAX);
      if (budget.reservedBytes >= most + STEP_BYTES)
        t.fail(`took ${budget.reservedBytes} bytes for ${at} (seed ${seed})`);
    }
    t.ok(Buffer.from(reader.bytes()).equals(bytes), `round ${round}, seed ${seed}`);
    t.equal(reader.byteLength, bytes.length);
    reader.release();
    t.equal(budget.reservedBytes, 0);
  }
  t.end();
});

t.test(
  'a declared length reserves no memory before bytes arrive, and little more than the bytes afterwards',
  (t) => {
    const budget = new ByteBudget(BODY_BYTES_MAX);
    const reader = new BodyReader(budget, BODY_BYTES_MAX, BODY_BYTES_MAX);
    t.equal(budget.reservedBytes, 0);
    t.equal(reader.add(new ArrayBuffer(1)), 'added');
    t.equal(budget.reservedBytes, AHEAD_BYTES_MAX + STEP_BYTES);
    t.end();
  },
);

t.test('a body of the maximum length is accepted, and one byte more is refused', (t) => {
  const reader = new BodyReader(new ByteBudget(2 * BODY_BYTES_MAX), null, BODY_BYTES_MAX);
  t.equal(reader.add(new ArrayBuffer(BODY_BYTES_MAX)), 'added');
  t.equal(reader.bytes().byteLength, BODY_BYTES_MAX);
  t.equal(reader.add(new ArrayBuffer(1)), 'too-long');
  t.end();
});

t.test('a lower bound is exact to the byte and limits the reserved memory', (t) => {
  for (const bytesMax of [100, 16 * 1024, 16 * 1024 + 1]) {
    for (const declared of [null, bytesMax, BODY_BYTES_MAX]) {
      const budget = new ByteBudget(BODY_BYTES_MAX);
      const reader = new BodyReader(budget, declared, bytesMax);
      t.equal(reader.add(new ArrayBuffer(bytesMax - 10)), 'added');
      t.ok(budget.reservedBytes <= bytesMax, `${budget.reservedBytes} bytes of ${bytesMax}`);
      t.equal(reader.add(new ArrayBuffer(10)), 'added');
      t.equal(budget.reservedBytes, bytesMax);
      t.equal(reader.bytes().byteLength, bytesMax);
      t.equal(reader.add(new ArrayBuffer(1)), 'too-long');
      reader.release();
      t.equal(budget.reservedBytes, 0);
    }
  }
  t.end();
});

t.test('bodies share one budget and also release the memory of transferred buffers', (t) => {
  const budget = new ByteBudget(1_000_000);
  const first = new BodyReader(budget, 600_000, BODY_BYTES_MAX);
  const second = new BodyReader(budget, 600_000, BODY_BYTES_MAX);
  t.equal(first.add(new ArrayBuffer(600_000)), 'added');
  t.equal(second.add(new ArrayBuffer(600_000)), 'no-capacity');
  const bytes = first.bytes();
  structuredClone(bytes, { transfer: [bytes.buffer] });
  first.release();
  second.release();
  t.equal(budget.reservedBytes, 0);
  const third = new BodyReader(budget, 600_000, BODY_BYTES_MAX);
  t.equal(third.add(new ArrayBuffer(600_000)), 'added');
  t.end();
});
