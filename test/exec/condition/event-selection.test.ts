/** The selected events of a segment, compared with a test of each event. */
import t from 'tap';
import { Prng, SEGMENT_ROWS_MAX } from '../../../src/base/index.js';
import {
  datesOfEvents,
  EventSelection,
  eventsOfRows,
  rowsOfEvents,
  type SelectedEvents,
} from '../../../src/exec/condition/event-selection.js';
import { listSelectedRows } from '../../../src/exec/condition/selected-rows.js';
import type { ValueTest } from '../../../src/ir/index.js';
import { compileKernels } from '../../../src/kernels/index.js';
import { ArenaPool, BITMAP_BYTES, DimensionShard, type EventSegment } from '../../../src/storage/index.js';
import { SIMD_KERNELS } from '../../engine/store.js';
import { appendValue } from '../../storage/stored.js';
import { boundedRun } from '../bounded.js';

const SEED = 662_607;
t.comment(`seed ${SEED}`);

const COLUMN = 9;
const ROWS = 3_000;

/** Random events of small integers: a sealed segment and an unsealed one of 700 events. */
function filled(prng: Prng, module: WebAssembly.Module | null): DimensionShard {
  const shard = new DimensionShard(new ArenaPool(module), 1);
  const table = shard.eventTable(COLUMN, 'i64');
  for (let event = 0; event < SEGMENT_ROWS_MAX + 700; event++) {
    appendValue(table, prng.below(ROWS), 1_000_000 + prng.below(2_000), prng.between(-50, 50));
  }
  return shard;
}

function listed(segment: EventSegment, selected: SelectedEvents): number[] {
  const segmentRows = new Uint32Array(segment.eventCount);
  const count = listSelectedRows(segment.arena, selected, segmentRows);
  if (count !== selected.count) throw new Error(`${count} rows instead of ${selected.count}`);
  return [...segmentRows.subarray(0, count)];
}

for (const [kernels, module] of [
  ['JS', null],
  ['SIMD', compileKernels(SIMD_KERNELS)],
] as const) {
  t.test(`${kernels} kernels: events are selected by window, value and row`, async (t) => {
    const prng = new Prng(SEED);
    const shard = filled(prng, module);
    const segments = shard.events.get(COLUMN)?.segments ?? [];
    t.strictSame(
      segments.map(({ sealed }) => sealed),
      [true, false],
    );
    const wrong: unknown[] = [];
    for (let query = 0; query < 60; query++) {
      const from = 1_000_000 + prng.between(-5, 2_005);
      const window = { from, to: prng.pick([from, from + prng.below(300), 2_000_000, from - 1]) };
      const tests = Array.from({ length: prng.below(3) }, (): ValueTest => {
        const low = BigInt(prng.between(-150, 50));
        return {
          kind: 'ranges',
          ranges: [{ low, high: low + BigInt(prng.below(200)) }],
          negated: prng.chance(0.3),
        };
      });
      const rows = Uint8Array.from({ length: BITMAP_BYTES }, () => prng.below(256));
      const passes = (value: number): boolean =>
        tests.every(
          (test) =>
            test.kind === 'ranges' &&
            test.ranges.some(({ low, high }) => value >= low && value <= high) !== test.negated,
        );
      const events = new EventSelection(shard, { columnId: COLUMN, window, tests }, boundedRun());
      for (const segment of segments) {
        const datesAndRows = segment.datesAndRows(segment.eventCount);
        const wanted = [...datesAndRows.dates.keys()].filter(
          (segmentRow) =>
            datesAndRows.dates[segmentRow] >= window.from &&
            datesAndRows.dates[segmentRow] <= window.to &&
            passes(segment.arena.i8[segment.valuesAt + segmentRow]),
        );
        const isInRows = (segmentRow: number): boolean => {
          const row = datesAndRows.rows[segmentRow];
          return ((rows[row >> 3] >> (row & 7)) & 1) === 1;
        };
        const selected = events.select(segment);
        const differs = (found: ArrayLike<number>, right: readonly number[]): boolean =>
          found.length !== right.length || right.some((number, at) => found[at] !== number);
        if (
          differs(listed(segment, selected), wanted) ||
          (wanted.length > 0 && !events.mayMatch(segment)) ||
          differs(
            rowsOfEvents(segment, selected),
            wanted.map((segmentRow) => datesAndRows.rows[segmentRow]),
          ) ||
          differs(
            datesOfEvents(segment, selected),
            wanted.map((segmentRow) => datesAndRows.dates[segmentRow]),
          ) ||
          differs(listed(segment, eventsOfRows(segment, selected, rows)), wanted.filter(isInRows))
        ) {
          wrong.push({ window, tests, sealed: segment.sealed });
        }
      }
      events.release();
    }
    t.strictSame(wrong.slice(0, 3), []);
  });
}

t.test('a column without events selects none', async (t) => {
  const shard = new DimensionShard(new ArenaPool(null), 1);
  const window = { from: 0, to: 2 ** 32 - 1 };
  const events = new EventSelection(shard, { columnId: COLUMN, window, tests: [] }, boundedRun());
  t.equal(events.table, undefined);
  const segment = shard.eventTable(COLUMN, 'i64').tail();
  t.notOk(events.mayMatch(segment));
  t.equal(events.select(segment).count, 0);
  events.release();
});
