/**
 * Tests values of a run of rows: translates ir's tests to kernel calls on the run's arena.
 * Invariants  the output bitmap is undefined if no row or all rows pass, so callers check the count first; missing
 *             values pass neither a test nor its negation.
 */
import { invariant, QuarryError } from '../../base/index.js';
import type { IntRange, ValueTest } from '../../ir/index.js';
import { bitmapBytes } from '../../kernels/index.js';
import type { ValueKind } from '../../schema/index.js';
import type { Arena, Dictionary } from '../../storage/index.js';
import { type QueryRun, UNBOUNDED } from '../query-run.js';
import { areaHolds, selectArea, selectAreas } from './area-test.js';
import { type ColumnRun, presentRows } from './run.js';
import { MatchingCodes } from './text-match.js';

/** How rows are found: 'none', 'present' (every row with a value), or the name of a kernel. */
export type TestPath = 'none' | 'present' | string;

/** A value test of one query; a text test is resolved against the shard's dictionary. */
export class PreparedTest {
  readonly #test: ValueTest;
  /** Codes that match a text test; null without a dictionary and for other tests. */
  readonly #codes: MatchingCodes | null;
  readonly #codeCount: number;
  #released = false;
  readonly #run: QueryRun;
  readonly #tables = new Map<Arena, number>();

  constructor(test: ValueTest, dictionary: Dictionary | undefined, run: QueryRun) {
    this.#test = test;
    this.#run = run;
    this.#codes =
      test.kind === 'text' && dictionary !== undefined ? new MatchingCodes(test, dictionary, run) : null;
    this.#codeCount = dictionary?.codeCount ?? 1;
  }

  get negated(): boolean {
    return this.#test.negated;
  }

  /**
   * Selects rows of `run` that pass into bitmap `out` of its arena, which must not overlap `spare`; returns their
   * number.
   */
  select(run: ColumnRun, out: number, spare: number): number {
    if (run.presentCount === 0) return 0;
    const test = this.#test;
    switch (test.kind) {
      case 'text':
        return this.#selectCodes(run, out);
      case 'ranges':
        return selectRanges(run, test.ranges, test.negated, out, spare);
      case 'geo-any':
        return selectAreas(run, test.areas, test.negated, out, spare);
      default:
        return selectArea(run, test, out);
    }
  }

  /** How `select` would find the rows of such a run: by which kernel, or without reading values. */
  path(run: ColumnRun): TestPath {
    const test = this.#test;
    if (run.presentCount === 0) return 'none';
    switch (test.kind) {
      case 'text':
        if (!this.#mayHold(run)) return test.negated ? 'present' : 'none';
        return `${this.#codes?.count === 1 ? 'equal' : 'member'}U${run.width * 8}`;
      case 'ranges':
        return rangesPath(run, test.ranges, test.negated);
      default:
        return test.kind === 'geo-box' ? 'geoBox' : 'geoRadius';
    }
  }

  /** Whether matching codes are within the run's range. */
  #mayHold(run: ColumnRun): boolean {
    const codes = this.#codes;
    return codes !== null && codes.count > 0 && codes.greatest >= run.min && codes.least <= run.max;
  }

  /** Whether `refine` supports such a run and the run's range does not decide the test. */
  canRefine(run: ColumnRun): boolean {
    const test = this.#test;
    if (test.kind !== 'ranges' || test.ranges.length !== 1) return false;
    const wide = run.kind === 'i32' || (run.kind === 'i64' && run.width >= 4);
    return wide && zoneOverlap(test.ranges[0], run) === 'some';
  }

  /** Narrows the rows set in `bitmap` of the run's arena to those that pass; returns their number. */
  refine(run: ColumnRun, bitmap: number): number {
    const test = this.#test;
    invariant(test.kind === 'ranges', 'only ranges are refined');
    const [range] = test.ranges;
    const { kernels } = run.arena;
    const { valuesAt, validityAt, rowCount } = run;
    if (run.kind === 'i64' && run.width === 8) {
      return kernels.refineI64(valuesAt, validityAt, rowCount, range.low, range.high, test.negated, bitmap);
    }
    const { low, high } = clamped(range, 32);
    return kernels.refineI32(valuesAt, validityAt, rowCount, low, high, test.negated, bitmap);
  }

  #selectCodes(run: ColumnRun, out: number): number {
    const { negated } = this.#test;
    const codes = this.#codes;
    if (codes === null || !this.#mayHold(run)) return negated ? presentRows(run, out) : 0;
    const { kernels } = run.arena;
    const { valuesAt, rowCount } = run;
    if (codes.count === 1) {
      if (run.width === 1) return kernels.equalU8(valuesAt, rowCount, codes.least, negated, out);
      if (run.width === 2) return kernels.equalU16(valuesAt, rowCount, codes.least, negated, out);
      return kernels.equalU32(valuesAt, rowCount, codes.least, negated, out);
    }
    const table = this.#tableIn(run.arena, codes);
    if (table === null) return this.#selectByRow(run, codes, out);
    if (run.width === 1) return kernels.memberU8(valuesAt, rowCount, table, out);
    if (run.width === 2) return kernels.memberU16(valuesAt, rowCount, table, out);
    return kernels.memberU32(valuesAt, rowCount, table, out);
  }

  /** Selects the rows without a table: slow, but needs no memory. */
  #selectByRow({ arena, width, valuesAt, rowCount }: ColumnRun, codes: MatchingCodes, out: number): number {
    const { u8, u16, u32 } = arena;
    const { negated } = this.#test;
    u8.fill(0, out, out + bitmapBytes(rowCount));
    let count = 0;
    for (let row = 0; row < rowCount; row++) {
      const code =
        width === 1
          ? u8[valuesAt + row]
          : width === 2
            ? u16[(valuesAt >> 1) + row]
            : u32[(valuesAt >> 2) + row];
      if (code === 0 || codes.has(code) === negated) continue;
      u8[out + (row >> 3)] |= 1 << (row & 7);
      count++;
    }
    return count;
  }

  /**
   * The bitmap of codes that pass, in `arena`, with negation applied. Bit 0, the missing value, is never set. If the
   * arena has no capacity, throws 9006, or returns null in an unbounded run, which then tests row by row.
   */
  #tableIn(arena: Arena, { bits }: MatchingCodes): number | null {
    const made = this.#tables.get(arena);
    if (made !== undefined) return made;
    // At least 256 codes, because the 8-bit kernel reads a whole table.
    const at = arena.reserveTemporary(bitmapBytes(Math.max(256, this.#codeCount)));
    if (at === null) {
      if (this.#run === UNBOUNDED) return null;
      throw new QuarryError(9006, 'a text condition has too many distinct strings to match');
    }
    this.#tables.set(arena, at);
    const { u8 } = arena;
    const { negated } = this.#test;
    if (negated) {
      arena.kernels.fill(this.#codeCount, at);
      for (let byte = 0; byte < bits.length; byte++) u8[at + byte] &= ~bits[byte];
    } else u8.set(bits, at);
    u8[at] &= 0xfe;
    return at;
  }

  /**
   * Whether one item passes the test before negation. An item is a code, days or a bit (with `second` 0), the (low,
   * high) words of 64 bits, or (longitude, latitude).
   */
  holdsFor(kind: ValueKind, first: number, second: number): boolean {
    const test = this.#test;
    switch (test.kind) {
      case 'text':
        return this.#codes?.has(first) ?? false;
      case 'geo-any':
        return test.areas.some((area) => areaHolds(area, first, second));
      case 'geo-radius':
      case 'geo-box':
        return areaHolds(test, first, second);
      case 'ranges': {
        const value = kind === 'i64' ? (BigInt(second | 0) << 32n) | BigInt(first) : BigInt(first);
        return test.ranges.some((range) => value >= range.low && value <= range.high);
      }
    }
  }

  /** Calls `visit` with each code that passes a text test, in ascending order. */
  eachPassingCode(visit: (code: number) => void): void {
    const codes = this.#codes;
    if (codes === null) return;
    const { negated } = this.#test;
    const [first, last] = negated ? [1, this.#codeCount - 1] : [codes.least, codes.greatest];
    for (let code = first; code <= last; code++) if (codes.has(code) !== negated) visit(code);
  }

  /** Releases the memory; the test must not be used afterwards. */
  release(): void {
    if (this.#codes !== null && !this.#released) this.#run.release(this.#codes.bits.length);
    this.#released = true;
    for (const arena of this.#tables.keys()) arena.releaseTemporary();
    this.#tables.clear();
  }
}

/**
 * Whether a range may contain values of the run's range, and whether it certainly contains all. Comparisons are
 * strict because doubles round.
 */
function zoneOverlap(range: IntRange, run: ColumnRun): 'none' | 'some' | 'all' {
  const low = Number(range.low);
  const high = Number(range.high);
  if (high < run.min || low > run.max) return 'none';
  return low < run.min && high > run.max ? 'all' : 'some';
}

function selectRanges(
  run: ColumnRun,
  ranges: readonly IntRange[],
  negated: boolean,
  out: number,
  spare: number,
): number {
  if (run.kind === 'bits') return selectBits(run, ranges, negated, out);
  const live = ranges.filter((range) => zoneOverlap(range, run) !== 'none');
  if (live.length === 0) return negated ? presentRows(run, out) : 0;
  if (live.some((range) => zoneOverlap(range, run) === 'all')) return negated ? 0 : presentRows(run, out);
  if (live.length === 1) return selectRange(run, live[0], negated, out);
  const { kernels } = run.arena;
  let count = selectRange(run, live[0], false, out);
  for (const range of live.slice(1)) {
    selectRange(run, range, false, spare);
    count = kernels.or(out, spare, run.rowCount, out);
  }
  if (!negated) return count;
  presentRows(run, spare);
  return kernels.andNot(spare, out, run.rowCount, out);
}

/** How `selectRanges` would find its rows. */
function rangesPath(run: ColumnRun, ranges: readonly IntRange[], negated: boolean): TestPath {
  if (run.kind === 'bits') {
    const [zero, one] = containedBits(ranges, negated);
    if (zero === one) return zero ? 'present' : 'none';
    return 'bitsEqual';
  }
  const overlaps = ranges.map((range) => zoneOverlap(range, run));
  if (overlaps.every((overlap) => overlap === 'none')) return negated ? 'present' : 'none';
  if (overlaps.includes('all')) return negated ? 'none' : 'present';
  return `rangeI${run.kind === 'i32' ? 32 : run.width * 8}`;
}

/**
 * Selects rows whose value is in a range that overlaps the run's range into bitmap `out` of the run's arena; returns
 * their number.
 */
export function selectRange(run: ColumnRun, range: IntRange, negated: boolean, out: number): number {
  const { kernels } = run.arena;
  const { valuesAt, rowCount } = run;
  const validity = run.presentCount === rowCount ? 0 : run.validityAt;
  if (run.kind === 'i64' && run.width === 8) {
    return kernels.rangeI64(valuesAt, validity, rowCount, range.low, range.high, negated, out);
  }
  invariant(run.kind === 'i64' || run.kind === 'i32', `a range test does not fit values of kind ${run.kind}`);
  const bits = run.kind === 'i32' ? 32 : run.width * 8;
  const { low, high } = clamped(range, bits);
  if (bits === 8) return kernels.rangeI8(valuesAt, validity, rowCount, low, high, negated, out);
  if (bits === 16) return kernels.rangeI16(valuesAt, validity, rowCount, low, high, negated, out);
  return kernels.rangeI32(valuesAt, validity, rowCount, low, high, negated, out);
}

/** The part of a range that signed integers of `bits` bits can represent. */
function clamped({ low, high }: IntRange, bits: number): { low: number; high: number } {
  const least = -(2n ** BigInt(bits - 1));
  const greatest = -least - 1n;
  return { low: Number(low < least ? least : low), high: Number(high > greatest ? greatest : high) };
}

/** Whether the ranges (negated: their complement) contain 0, and whether 1. */
function containedBits(ranges: readonly IntRange[], negated: boolean): readonly [boolean, boolean] {
  const holds = (bit: bigint): boolean =>
    ranges.some(({ low, high }) => bit >= low && bit <= high) !== negated;
  return [holds(0n), holds(1n)];
}

function selectBits(run: ColumnRun, ranges: readonly IntRange[], negated: boolean, out: number): number {
  const [zero, one] = containedBits(ranges, negated);
  if (zero && one) return presentRows(run, out);
  if (!zero && !one) return 0;
  return run.arena.kernels.bitsEqual(run.valuesAt, run.validityAt, run.rowCount, one, out);
}
