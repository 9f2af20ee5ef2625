/** Compares filters of stored columns and of vectors by the keys of a right side with a set. */
import t from 'tap';
import { Prng } from '../../../../src/base/index.js';
import { QueryRun } from '../../../../src/exec/index.js';
import { integerFilter } from '../../../../src/exec/join/keys/key-filter.js';
import { keepPresent } from '../../../../src/exec/scan/column-filter.js';
import { SegmentFilters } from '../../../../src/exec/scan/segment-filters.js';
import { TextFilter } from '../../../../src/exec/scan/text-filter.js';
import type { EntitySegment, LatestColumn } from '../../../../src/storage/index.js';
import { type ExactVector, exactVector, Texts, vectorOf } from '../../../../src/vector/index.js';

const SEED = 20_261_127;
t.comment(`seed ${SEED}`);

type Width = 1 | 2 | 4 | 8;
const OFFSET_BYTES = 64;

/** A column with these values in an arena of its own; null is missing. */
function columnOf(
  values: readonly (number | null)[],
  width: Width,
  kind: 'i64' | 'code' = 'i64',
): LatestColumn {
  const validityAt = OFFSET_BYTES + values.length * 8;
  const buffer = new ArrayBuffer(Math.ceil((validityAt + values.length) / 8) * 8 + 8);
  const arena = {
    u8: new Uint8Array(buffer),
    i8: new Int8Array(buffer),
    u16: new Uint16Array(buffer),
    i16: new Int16Array(buffer),
    u32: new Uint32Array(buffer),
    i32: new Int32Array(buffer),
  };
  const i64 = new BigInt64Array(buffer);
  for (const [row, value] of values.entries()) {
    if (value === null) continue;
    arena.u8[validityAt + (row >> 3)] |= 1 << (row & 7);
    if (width === 1) arena.u8[OFFSET_BYTES + row] = value;
    else if (width === 2) arena.u16[OFFSET_BYTES / 2 + row] = value;
    else if (width === 4) arena.i32[OFFSET_BYTES / 4 + row] = value;
    else i64[OFFSET_BYTES / 8 + row] = BigInt(value);
  }
  const present = values.filter((value) => value !== null);
  const stored = { arena, kind, width, valuesAt: OFFSET_BYTES, validityAt, presentCount: present.length };
  const bounds = { min: Math.min(...present), max: Math.max(...present) };
  return { ...stored, ...bounds } as unknown as LatestColumn;
}

const BOUNDS: Readonly<Record<Width, number>> = { 1: 2 ** 7, 2: 2 ** 15, 4: 2 ** 31, 8: 2 ** 53 - 1 };

/** Integers of the width: dense, at both ends of its range, or anywhere. */
function integerOf(prng: Prng, width: Width, kind: number): number {
  const bound = BOUNDS[width];
  if (kind === 0) return prng.below(100) - 50;
  if (kind === 1)
    return prng.below(2) === 0 ? bound - 1 - prng.below(40) : prng.below(40) - bound + (width === 8 ? 1 : 0);
  return Math.floor((prng.unit() * 2 - 1) * (bound - 1));
}

const runOf = (): QueryRun => new QueryRun(null, 0, Number.POSITIVE_INFINITY);

t.test('stored integers of every width pass if the right side has them', async (t) => {
  const prng = new Prng(SEED);
  let [passed, wrongPassed, failed] = [0, 0, 0];
  for (let round = 0; round < 400; round++) {
    const width = ([1, 2, 4, 8] as const)[round % 4];
    const kind = prng.below(3);
    const values = Array.from({ length: 1 + prng.below(500) }, () =>
      prng.below(10) === 0 ? null : integerOf(prng, width, kind),
    );
    const keys = Array.from({ length: prng.below(300) }, () => {
      const value = values[prng.below(values.length)];
      if (prng.below(8) === 0) return null;
      return prng.below(2) === 0 && value !== null
        ? value
        : integerOf(prng, prng.below(3) === 0 ? 8 : width, kind);
    });
    const filter = integerFilter(
      vectorOf(
        { type: 'integer' },
        keys.map((key) => (key === null ? null : BigInt(key))),
      ) as ExactVector,
      runOf(),
    );
    if (filter === null) return t.fail('safe integers have a filter');
    const column = columnOf(values, width);
    const listed = values.flatMap((_, row) => (prng.below(3) === 0 ? [] : [row]));
    const rows = prng.below(2) === 0 ? null : Uint32Array.from(listed);
    const count = rows?.length ?? values.length;
    // The rows may be overwritten.
    const out = rows ?? new Uint32Array(count);
    const tested = rows === null ? values.map((_, row) => row) : [...rows];
    const remaining = keepPresent(column, out, filter.keepStored(column, null, rows, count, out));
    const found = new Set(out.subarray(0, remaining));
    const wanted = new Set(keys);
    for (const row of tested) {
      const value = values[row];
      if (value !== null && wanted.has(value)) {
        passed++;
        if (!found.has(row))
          return t.fail(`round ${round}, width ${width}: row ${row}, ${value} does not pass`);
        if (!filter.mayPass(value, value)) return t.fail(`round ${round}: the bounds exclude ${value}`);
      } else if (value === null && found.has(row)) return t.fail(`round ${round}: a missing value passes`);
      else if (value !== null)
        [wrongPassed, failed] = found.has(row) ? [wrongPassed + 1, failed] : [wrongPassed, failed + 1];
    }
    if (out.subarray(0, remaining).some((row, at) => at > 0 && row <= out[at - 1]))
      return t.fail('rows are not ascending');
    const vector = exactVector(
      null,
      values.map((value) => BigInt(value ?? 0)),
    );
    const all = new Uint32Array(values.length);
    const inVector = new Set(all.subarray(0, filter.keep(vector, all)));
    const lost = values.findIndex((value, row) => wanted.has(value ?? 0) && !inVector.has(row));
    if (lost >= 0) return t.fail(`round ${round}: row ${lost} of the vector does not pass`);
  }
  t.ok(passed > 5_000 && failed > 5_000, `${passed} passed, ${failed} did not`);
  t.ok(wrongPassed * 20 < failed, `${wrongPassed} passed that need not`);
});

t.test('texts pass if the right side has them, in every dictionary', async (t) => {
  const prng = new Prng(SEED + 1);
  for (let round = 0; round < 100; round++) {
    const strings = ['', ...Array.from({ length: 1 + prng.below(200) }, (_, code) => `text ${code}`)];
    const wanted = new Set(strings.filter(() => prng.below(3) === 0));
    const texts = Texts.ofStrings(strings, true);
    const filter = new TextFilter((of, text) => wanted.has(of.text(text)), runOf());
    const codes = Array.from({ length: 300 }, () => prng.below(strings.length));
    for (const width of [1, 2, 4] as const) {
      // Code 0 is the missing value.
      const column = columnOf(
        codes.map((code) => (code === 0 ? null : code)),
        width,
        'code',
      );
      const out = new Uint32Array(codes.length);
      const remaining = filter.keepStored(column, texts, null, codes.length, out);
      const expected = codes.flatMap((code, row) => (code > 0 && wanted.has(strings[code]) ? [row] : []));
      if (out.subarray(0, remaining).join() !== expected.join())
        return t.fail(`round ${round}, width ${width}`);
    }
    const others = Texts.ofStrings([...strings].reverse(), true);
    const rows = new Uint32Array(strings.length);
    const valid = Uint8Array.from(strings, () => prng.below(2));
    const own = prng.below(2) === 0 ? null : Uint32Array.from(strings, (_, row) => row);
    const remaining = filter.keep(
      { kind: 'text', count: strings.length, valid, codes: own, texts: others },
      rows,
    );
    const expected = strings.flatMap((_, row) =>
      valid[row] === 1 && wanted.has(others.text(row)) ? [row] : [],
    );
    if (rows.subarray(0, remaining).join() !== expected.join()) return t.fail(`round ${round}: vector`);
  }
  t.pass();
});

t.test(
  'a filter that nearly all rows pass is given up, and segments beyond the bounds are not read',
  async (t) => {
    const values = Array.from({ length: 40_000 }, (_, row) => row % 100);
    const columns = new Map([
      [1, columnOf(values, 4)],
      [
        2,
        columnOf(
          values.map((value) => value + 1_000),
          4,
        ),
      ],
    ]);
    const segment = {
      latest: (id: number) => columns.get(id),
      rowCount: values.length,
      deadCount: 0,
    } as unknown as EntitySegment;
    const filterOf = (keys: readonly number[]) =>
      integerFilter(exactVector(null, keys.map(BigInt)), runOf()) ?? t.fail();
    const keep = (filters: SegmentFilters): number =>
      filters.keep(segment, { rows: null, count: values.length }, new Uint32Array(values.length), () => null)
        .count;
    const all = new SegmentFilters();
    all.add(1, filterOf(values.slice(0, 100)) as never);
    t.equal(keep(all), values.length);
    t.ok(all.isEmpty);
    const few = new SegmentFilters();
    few.add(1, filterOf([3, 4]) as never);
    few.add(2, filterOf([1_004, 1_005]) as never);
    t.ok(few.mayPass(segment));
    t.equal(keep(few), 400);
    t.notOk(few.isEmpty);
    few.add(2, filterOf([5_000]) as never);
    t.notOk(few.mayPass(segment));
  },
);
