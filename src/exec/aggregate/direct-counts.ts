/** Counts by number for latest-value columns with direct numbers: the hot loops of top values. */
import { bitmapBytes } from '../../kernels/index.js';
import type { EntitySegment, LatestColumn } from '../../storage/index.js';
import { PreparedTest } from '../condition/value-test.js';
import { CodeTables } from './code-tables.js';
import { type LevelScan, selectValues } from './level-values.js';
import type { CodeNumbering, DirectNumbering } from './numbering.js';
import type { RowFilter } from './row-filter.js';
import { countAll, countSet, viewOf } from './value-view.js';

/** Adds the rows of the scan's filter whose value passes to the counts by number. Throws 9005 and 9006. */
export function countDirect(
  walk: LevelScan,
  numbering: CodeNumbering | DirectNumbering,
  counts: Uint32Array,
): void {
  const { shard, source, filter, run } = walk;
  const dictionary = shard.dictionaries.get(source.columnId);
  const tests = walk.tests.map((test) => new PreparedTest(test, dictionary, run));
  const tables = dictionary === undefined ? null : new CodeTables(dictionary.codeCount);
  try {
    shard.segments.forEach((segment, index) => {
      const column = segment.latest(source.columnId);
      if (column === undefined || column.presentCount === 0) return;
      // Missing values count as code 0, so validity need not be checked.
      const every = source.kind === 'code' && tests.length === 0;
      const count = every
        ? filter.select(index)
        : selectValues(filter, index, segment, column, source.columnId, tests);
      if (count === 0 || tables?.add(column, segment.rowCount, filter, count) === true) return;
      countSegment(segment, column, numbering, filter, count, counts);
    });
    tables?.addCountsTo(counts);
  } finally {
    tables?.release();
    for (const test of tests) test.release();
  }
  if (source.kind === 'code') counts[0] = 0;
}

/** `count` rows are selected in the filter. */
function countSegment(
  { rowCount }: EntitySegment,
  column: LatestColumn,
  numbering: CodeNumbering | DirectNumbering,
  filter: RowFilter,
  count: number,
  counts: Uint32Array,
): void {
  const values = viewOf(column, rowCount);
  const base = 'base' in numbering ? numbering.base : 0;
  const words = count === rowCount ? null : wordsOf(filter, rowCount);
  switch (values.as) {
    case 'bits': {
      const ones = countOnes(column, filter, rowCount, count);
      counts[0] += count - ones;
      counts[1] += ones;
      break;
    }
    case 'narrow':
      if (words === null) countAll(values, base, rowCount, counts);
      else if (values.signed || count * 2 < rowCount) countSet(values, base, rowCount, words, 1, 1, counts);
      else {
        // All codes are within range, so all rows are counted and the few unselected ones subtracted.
        countAll(values, base, rowCount, counts);
        countSet(values, base, rowCount, words, 0, -1, counts);
      }
      break;
    case 'wide':
      if (words === null) countAllWide(values.words, base | 0, counts);
      else countSetWide(values.words, base | 0, words, counts);
      break;
  }
}

function wordsOf({ arena, bitmapAt }: RowFilter, rowCount: number): Int32Array {
  return arena.i32.subarray(bitmapAt >> 2, (bitmapAt >> 2) + ((rowCount + 31) >>> 5));
}

/** The number of the `count` selected rows whose bit is set. */
function countOnes(column: LatestColumn, filter: RowFilter, rowCount: number, count: number): number {
  const { u8, kernels } = filter.arena;
  const bits = filter.arena.scratchBitmap(1);
  const { arena, valuesAt } = column;
  u8.set(arena.u8.subarray(valuesAt, valuesAt + bitmapBytes(rowCount)), bits);
  return kernels.and(count === rowCount ? bits : filter.bitmapAt, bits, rowCount, bits);
}

function countAllWide(items: Uint32Array, base: number, counts: Uint32Array): void {
  const length = items.length;
  for (let low = 0; low < length; low += 2) counts[(items[low] - base) | 0]++;
}

function countSetWide(items: Uint32Array, base: number, words: Int32Array, counts: Uint32Array): void {
  for (let word = 0; word < words.length; word++) {
    let bits = words[word];
    while (bits !== 0) {
      const at = word * 32 + 31 - Math.clz32(bits & -bits);
      counts[(items[at * 2] - base) | 0]++;
      bits &= bits - 1;
    }
  }
}
