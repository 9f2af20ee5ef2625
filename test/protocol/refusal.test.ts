import t from 'tap';
import { CorruptionError, QuarryError } from '../../src/base/index.js';
import { fromRefusal, toRefusal, type WireRefusal } from '../../src/protocol/index.js';

t.test('refusals are unchanged by the transfer, also by a copy between threads', (t) => {
  for (const error of [
    new QuarryError(9002, 'disk full'),
    new CorruptionError('/store/file', 17, 'it fails its checksum'),
    Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' }),
    Object.assign(new Error('E2BIG: too much'), { code: 'E2BIG' }),
  ]) {
    const arrived = fromRefusal(structuredClone(toRefusal(error)) as WireRefusal);
    t.equal(arrived.constructor, error.constructor);
    t.equal(arrived.message, error.message);
    t.strictSame({ ...arrived }, { ...error });
  }
  t.end();
});

t.test('a bug is not a refusal', (t) => {
  const ofNode = Object.assign(new TypeError('wrong argument'), { code: 'ERR_INVALID_ARG_TYPE' });
  for (const error of [new TypeError('x is undefined'), new Error('plain'), ofNode]) {
    t.equal(toRefusal(error), null);
  }
  t.end();
});
