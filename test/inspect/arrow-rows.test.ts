/** Values of snapshot files in readable form; offsets outside the file are errors. */
import t from 'tap';
import type { ArrowTable } from '../../src/column/index.js';
import { rowOf } from '../../src/inspect/index.js';

const TEXTS = { offsets: Int32Array.of(0, 2, 3), bytes: new Uint8Array(Buffer.from('abc')) };
const tableOf = (column: object): ArrowTable =>
  ({
    columns: [{ name: 'c', validity: null, ...column }],
    rowCount: 2,
    metadata: new Map(),
  }) as unknown as ArrowTable;
const wide = (...values: bigint[]): Uint32Array => new Uint32Array(BigInt64Array.from(values).buffer);

t.test('a value of every kind is shown in full, and a missing one as null', (t) => {
  for (const [column, first, second] of [
    [{ kind: 'utf8', ...TEXTS }, 'ab', 'c'],
    [{ kind: 'dictionary', codes: Uint8Array.of(1, 0), dictionary: TEXTS }, 'c', 'ab'],
    [{ kind: 'int64', words: wide(-5n, 9_007_199_254_740_993n) }, -5, '9007199254740993'],
    [{ kind: 'decimal', words: wide(-125n, 5n), places: 2 }, '-1.25', '0.05'],
    [{ kind: 'timestamp', words: wide(0n, 86_400n) }, '1970-01-01T00:00:00Z', '1970-01-02T00:00:00Z'],
    [{ kind: 'date32', i32: Int32Array.of(0, 31) }, '1970-01-01', '1970-02-01'],
    [{ kind: 'int32', i32: Int32Array.of(-1, 1) }, -1, 1],
    [{ kind: 'uint32', u32: Uint32Array.of(2 ** 32 - 1, 1) }, 2 ** 32 - 1, 1],
    [{ kind: 'bool', bits: Uint8Array.of(2) }, false, true],
    [
      { kind: 'point', f64: Float64Array.of(1, 2, 3, 4) },
      { longitude: 1, latitude: 2 },
      { longitude: 3, latitude: 4 },
    ],
    [{ kind: 'list', offsets: Int32Array.of(0, 2, 2), items: { kind: 'utf8', ...TEXTS } }, ['ab', 'c'], []],
    [{ kind: 'bool', bits: Uint8Array.of(3), validity: Uint8Array.of(1) }, true, null],
  ] as const) {
    const table = tableOf(column);
    t.strictSame([rowOf(table, 0, '/f').c, rowOf(table, 1, '/f').c], [first, second], column.kind);
  }
  t.end();
});

t.test('offsets outside the file are errors that name the file', (t) => {
  for (const column of [
    { kind: 'utf8', ...TEXTS, offsets: Int32Array.of(0, 4, 4) },
    { kind: 'utf8', ...TEXTS, offsets: Int32Array.of(2, 1, 1) },
    { kind: 'utf8', ...TEXTS, offsets: Int32Array.of(-1, 1, 1) },
    { kind: 'dictionary', codes: Uint8Array.of(2, 2), dictionary: TEXTS },
    { kind: 'list', offsets: Int32Array.of(0, 3, 3), items: { kind: 'utf8', ...TEXTS } },
    { kind: 'list', offsets: Int32Array.of(5, 1, 1), items: { kind: 'utf8', ...TEXTS } },
  ]) {
    t.throws(() => rowOf(tableOf(column), 0, '/f'), {
      name: 'CorruptionError',
      file: '/f',
      reason: /^row 0 of column c: /,
    });
  }
  t.end();
});
