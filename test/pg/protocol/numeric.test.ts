import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { ProtocolError } from '../../../src/pg/protocol/errors.js';
import { numericBytes, numericText } from '../../../src/pg/protocol/numeric.js';

const ROUNDS = 2_000;

t.test('numbers keep every digit in the binary format', (t) => {
  const prng = new Prng(5);
  const digits = (count: number): string => Array.from({ length: count }, () => prng.below(10)).join('');
  for (let round = 0; round < ROUNDS; round++) {
    const whole = digits(1 + prng.below(20)).replace(/^0+(?=\d)/, '');
    const fraction = digits(prng.below(20));
    const plain = fraction === '' ? whole : `${whole}.${fraction}`;
    const text = prng.chance(0.5) && /[1-9]/.test(plain) ? `-${plain}` : plain;
    if (numericText(numericBytes(text)) !== text) t.equal(numericText(numericBytes(text)), text);
  }
  t.end();
});

t.test('the binary format equals that of Postgres', (t) => {
  t.equal(numericBytes('12345.678').toString('hex'), '0003000100000003000109291a7c');
  t.equal(numericBytes('0').toString('hex'), '0000000000000000');
  t.equal(numericBytes('-0.0001').toString('hex'), '0001ffff400000040001');
  t.end();
});

t.test('invalid bytes are refused', (t) => {
  for (const hex of [
    '',
    '0001',
    '0000000000',
    '0000000000000000ff',
    '00000000c0000000',
    '7fff000000000000',
  ]) {
    t.throws(() => numericText(Buffer.from(hex, 'hex')), ProtocolError);
  }
  t.end();
});
