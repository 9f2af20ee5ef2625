import t from 'tap';
import { CorruptionError, Prng, SEGMENT_ROWS_MAX } from '../../src/base/index.js';
import {
  type ArrowTable,
  decodeArrowFile,
  encodeArrowFile,
  encodeArrowFileSync,
  narrowU32,
  widenU32,
} from '../../src/column/index.js';
import { createLz4 } from '../../src/format/index.js';
import { generateTable, plainText, rowValue, utf8Of } from '../support/arrow-table.js';

const SEED = 20_260_730;
const lz4 = createLz4();
t.comment(`seed ${SEED}`);

/** The first difference of `table` from the generated values, or null. */
function difference(table: ArrowTable, values: ReturnType<typeof generateTable>['values']): string | null {
  for (const [index, column] of table.columns.entries()) {
    for (let row = 0; row < table.rowCount; row++) {
      const found = rowValue(column, row);
      const expected = values[index][row];
      if (found === expected || plainText(found) === plainText(expected)) continue;
      return `${column.name}, row ${row}: ${plainText(found)} instead of ${plainText(expected)}`;
    }
  }
  return null;
}

for (const rowCount of [0, 1, 7, 8, 1000, SEGMENT_ROWS_MAX]) {
  t.test(`a file of ${rowCount} rows returns every column, value and metadata entry`, async (t) => {
    const { table, values } = generateTable(new Prng(SEED + rowCount), rowCount);
    const decoded = decodeArrowFile(await encodeArrowFile(table, lz4), lz4, 'generated.arrow');
    t.equal(decoded.rowCount, rowCount);
    t.strictSame(decoded.metadata, table.metadata);
    t.strictSame(
      decoded.columns.map(({ name, kind, metadata }) => ({ name, kind, metadata })),
      table.columns.map(({ name, kind, metadata }) => ({ name, kind, metadata })),
    );
    t.equal(difference(decoded, values), null);
  });
}

t.test('the bytes depend only on the columns, not on the compressor', async (t) => {
  const { table } = generateTable(new Prng(SEED), 500);
  const bytes = await encodeArrowFile(table, lz4);
  t.ok(Buffer.from(bytes).equals(await encodeArrowFile(table, lz4)));
  t.ok(Buffer.from(bytes).equals(encodeArrowFileSync(table, lz4)));
});

t.test('a file at an unaligned offset of its buffer decodes to the same columns', async (t) => {
  const { table, values } = generateTable(new Prng(SEED + 1), 300);
  const bytes = encodeArrowFileSync(table, lz4);
  const shifted = new Uint8Array(bytes.length + 3).subarray(3);
  shifted.set(bytes);
  t.equal(difference(decodeArrowFile(shifted, lz4, 'shifted.arrow'), values), null);
});

t.test('a file without columns keeps its row count', async (t) => {
  const bytes = encodeArrowFileSync({ columns: [], rowCount: 12, metadata: new Map() }, lz4);
  t.strictSame(decodeArrowFile(bytes, lz4, 'empty.arrow'), {
    columns: [],
    rowCount: 12,
    metadata: new Map(),
  });
});

t.test('columns with another row count are refused before anything is written', async (t) => {
  const short = { kind: 'int32', name: 'short', validity: null, i32: new Int32Array(3) } as const;
  const texts = { kind: 'utf8', name: 'texts', validity: null, ...utf8Of(['a', 'b']) } as const;
  const bits = { kind: 'bool', name: 'bits', validity: null, bits: new Uint8Array(1) } as const;
  for (const column of [short, texts, bits]) {
    const table = { columns: [column], rowCount: 9, metadata: new Map() };
    t.throws(() => encodeArrowFileSync(table, lz4), {
      name: 'InvariantError',
      message: new RegExp(column.name),
    });
  }
});

t.test('a file truncated anywhere is refused with its name', async (t) => {
  const bytes = encodeArrowFileSync(generateTable(new Prng(SEED + 2), 20).table, lz4);
  const prng = new Prng(SEED);
  const lengths = [
    0,
    1,
    8,
    17,
    18,
    bytes.length - 1,
    ...Array.from({ length: 300 }, () => prng.below(bytes.length)),
  ];
  const refused = lengths.filter((length) => {
    try {
      decodeArrowFile(bytes.subarray(0, length), lz4, 'cut.arrow');
      return false;
    } catch (error) {
      return error instanceof CorruptionError && error.file === 'cut.arrow';
    }
  });
  t.equal(refused.length, lengths.length);
});

t.test(
  'damaged bytes give a CorruptionError or other values, never a crash, a hang or another error',
  async (t) => {
    const bytes = encodeArrowFileSync(generateTable(new Prng(SEED + 3), 200).table, lz4);
    const prng = new Prng(SEED);
    let refusedCount = 0;
    const others: unknown[] = [];
    for (let round = 0; round < 3000; round++) {
      const damaged = bytes.slice();
      for (let change = prng.between(1, 3); change > 0; change--) {
        // Half of the damage is in the footer, which contains the structure.
        const at = prng.chance(0.5) ? damaged.length - 1 - prng.below(5000) : prng.below(damaged.length);
        if (prng.chance(0.5)) damaged[at] ^= 1 << prng.below(8);
        else damaged[at] = prng.below(256);
      }
      try {
        decodeArrowFile(damaged, lz4, 'damaged.arrow');
      } catch (error) {
        if (error instanceof CorruptionError) refusedCount++;
        else others.push(error);
      }
    }
    t.strictSame(others, []);
    t.ok(refusedCount > 500, `${refusedCount} of 3000 were refused`);
  },
);

t.test(
  'event seconds widen to 64 bits and narrow back, and values that do not fit are refused',
  async (t) => {
    const seconds = Uint32Array.of(0, 1, 631_152_000, 2 ** 31, 2 ** 32 - 1);
    const wide = widenU32(seconds);
    t.strictSame([...new BigInt64Array(wide.buffer)], [...seconds].map(BigInt));
    t.strictSame(narrowU32(wide), seconds);
    t.throws(() => narrowU32(Uint32Array.of(5, 1)), RangeError);
  },
);
