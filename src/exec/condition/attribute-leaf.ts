/**
 * Tests of one attribute column over one entity segment, for latest-value and list-of-values columns.
 */
import { bitmapBytes } from '../../kernels/index.js';
import type { Arena, EntitySegment, ListColumn } from '../../storage/index.js';
import { type ColumnRun, runOf } from './run.js';
import type { PreparedTest } from './value-test.js';

/** The rows that passed. The bitmap at `bitmapAt` is undefined if count is 0 or the whole segment. */
export interface AttributeSelection {
  readonly count: number;
  readonly arena: Arena | null;
  readonly bitmapAt: number;
}

const NONE: AttributeSelection = { count: 0, arena: null, bitmapAt: 0 };

/** Selects rows of the segment whose value satisfies all tests (negated: has a value and fails one of them). */
export function selectAttribute(
  segment: EntitySegment,
  columnId: number,
  tests: readonly PreparedTest[],
  negated: boolean,
): AttributeSelection {
  const latest = segment.latest(columnId);
  if (latest !== undefined) return selectLatest(runOf(latest, segment.rowCount), tests, negated);
  const list = segment.list(columnId);
  if (list !== undefined) return selectList(segment, list, tests, negated);
  return NONE;
}

/**
 * Narrows the rows set in bitmap `at` of `scratch` to those whose value satisfies the only test, without reading
 * other rows. Returns their number, or null, with nothing changed, if that is not possible.
 */
export function refineAttribute(
  segment: EntitySegment,
  columnId: number,
  tests: readonly PreparedTest[],
  scratch: Arena,
  at: number,
): number | null {
  const column = segment.latest(columnId);
  if (column === undefined || tests.length !== 1) return null;
  const run = runOf(column, segment.rowCount);
  if (!tests[0].canRefine(run)) return null;
  const { arena } = run;
  const bytes = bitmapBytes(run.rowCount);
  const beside = arena.scratchBitmap(0);
  arena.u8.set(scratch.u8.subarray(at, at + bytes), beside);
  const count = tests[0].refine(run, beside);
  scratch.u8.set(arena.u8.subarray(beside, beside + bytes), at);
  return count;
}

function selectLatest(run: ColumnRun, tests: readonly PreparedTest[], negated: boolean): AttributeSelection {
  const { arena, rowCount } = run;
  const { kernels } = arena;
  const [out, next, spare] = [arena.scratchBitmap(0), arena.scratchBitmap(1), arena.scratchBitmap(2)];
  let count = rowCount;
  if (tests.length === 0 && run.validityAt !== 0) {
    count = kernels.or(run.validityAt, run.validityAt, rowCount, out);
  }
  for (const test of tests) {
    const first = count === rowCount;
    const selected = test.select(run, first ? out : next, spare);
    if (selected === 0) {
      count = 0;
      break;
    }
    if (first) count = selected;
    else if (selected < rowCount) count = kernels.and(out, next, rowCount, out);
  }
  if (!negated) return { count, arena, bitmapAt: out };
  if (count === rowCount) return NONE;
  if (count === 0) kernels.clear(rowCount, out);
  if (run.validityAt === 0) kernels.fill(rowCount, next);
  const validity = run.validityAt === 0 ? next : run.validityAt;
  return { count: kernels.andNot(validity, out, rowCount, out), arena, bitmapAt: out };
}

function selectList(
  segment: EntitySegment,
  list: ListColumn,
  tests: readonly PreparedTest[],
  negated: boolean,
): AttributeSelection {
  const { arena, rowCount } = segment;
  const out = arena.scratchBitmap(0);
  arena.u8.fill(0, out, out + bitmapBytes(rowCount));
  let count = 0;
  for (let row = 0; row < rowCount; row++) {
    if (list.counts[row] === 0 || listHolds(list, row, tests) === negated) continue;
    arena.u8[out + (row >> 3)] |= 1 << (row & 7);
    count++;
  }
  return { count, arena, bitmapAt: out };
}

/** Whether some item satisfies all plain tests, and no item matches a negated test. */
function listHolds(list: ListColumn, row: number, tests: readonly PreparedTest[]): boolean {
  const { kind, width, items } = list;
  const from = list.starts[row] * width;
  const to = from + list.counts[row] * width;
  let some = false;
  for (let at = from; at < to; at += width) {
    let all = true;
    for (const test of tests) {
      const holds = test.holdsFor(kind, items[at], width === 2 ? items[at + 1] : 0);
      if (test.negated && holds) return false;
      if (!test.negated && !holds) all = false;
    }
    some ||= all;
  }
  return some;
}
