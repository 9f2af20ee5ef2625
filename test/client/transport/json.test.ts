import fc from 'fast-check';
import t from 'tap';
import { parseExact, writeExact } from '../../../src/client/transport/json.js';

t.test('integers beyond 2^53 keep their digits in any context', async (t) => {
  t.strictSame(parseExact('{"a":9007199254740991,"b":9007199254740993,"c":-9223372036854775808}'), {
    a: 9007199254740991,
    b: 9007199254740993n,
    c: -9223372036854775808n,
  });
  t.strictSame(parseExact('["9007199254740993","\\"9007199254740993",1.00000000000000001,1e400,0.5]'), [
    '9007199254740993',
    '"9007199254740993',
    1,
    Number.POSITIVE_INFINITY,
    0.5,
  ]);
  t.strictSame(parseExact('["integer","integerr:5",99999999999999999]'), [
    'integer',
    'integerr:5',
    99999999999999999n,
  ]);
  t.equal(Object.hasOwn(parseExact('{"__proto__":12345678901234567}') as object, '__proto__'), true);
  t.throws(() => parseExact('{"a":12345678901234567'), SyntaxError);
});

t.test('bigints are written as their digits, and strings as strings', async (t) => {
  t.equal(
    writeExact({ a: 2n ** 63n - 1n, b: ['5', -5n, 'integer:5'] }),
    '{"a":9223372036854775807,"b":["5",-5,"integer:5"]}',
  );
  t.equal(writeExact({ a: undefined, b: null }), '{"b":null}');
});

t.test('written values are read back unchanged', async (t) => {
  const leaf = fc.oneof(
    fc.string(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.boolean(),
    fc.constant(null),
  );
  const tree = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('node')), fc.dictionary(fc.string(), tie('node'))),
  })).node;
  const plain = (value: unknown): unknown => {
    if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
  };
  fc.assert(
    fc.property(tree, (value) => {
      t.strictSame(plain(parseExact(writeExact(value))), plain(JSON.parse(writeStrings(value), revive)));
    }),
    { numRuns: 200 },
  );
});

/** An independent method: bigints as marked strings. */
const writeStrings = (value: unknown): string =>
  JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? `bigint ${inner}` : inner));
const revive = (_: string, value: unknown): unknown =>
  typeof value === 'string' && /^bigint -?\d+$/.test(value) ? BigInt(value.slice(7)) : value;
