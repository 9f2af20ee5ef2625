/** Orders of events by entity and date equal what the segments have, whatever was written since they were built. */
import t from 'tap';
import { Prng, SEGMENT_ROWS_MAX } from '../../../src/base/index.js';
import type { EntityOrder } from '../../../src/exec/event-order/entity-order.js';
import { EventOrders } from '../../../src/exec/event-order/event-orders.js';
import { ArenaPool, DEAD_ROW, EventTable, readCodes } from '../../../src/storage/index.js';
import { appendValue } from '../../storage/stored.js';
import { boundedRun } from '../bounded.js';

const SEED = Number(process.env.QUARRY_SEED ?? Date.now() % 1_000_000);
t.comment(`QUARRY_SEED=${SEED}`);
t.setTimeout(120_000);

const START = 1_700_000_000;
const ROWS = 3_000;
const CODES = 300;

/** An event as one number: rows are below 2^20, seconds from START below 2^23, codes below 2^9. */
const keyOf = (row: number, date: number, code: number): number =>
  (row * 2 ** 23 + date - START) * 512 + code;

/** The events of the segments, sorted. */
function stored(table: EventTable): Float64Array {
  const events = new Float64Array(table.eventCount);
  let end = 0;
  for (const segment of table.segments) {
    const { arena, valuesAt, width, eventCount } = segment;
    const { rows, dates } = segment.datesAndRows(eventCount);
    const codes = readCodes(arena, valuesAt, width, eventCount);
    for (let event = 0; event < eventCount; event++)
      events[end++] = keyOf(rows[event], dates[event], codes[event]);
  }
  return events.sort();
}

/** The events of orders in the same form, read by ranges; fails if a range is not in the order of its dates. */
function ordered(table: EventTable, orders: readonly EntityOrder[]): Float64Array {
  if (orders.reduce((sum, { eventCount }) => sum + eventCount, 0) !== table.eventCount) {
    throw new Error('an event is missing or in two orders');
  }
  const events = new Float64Array(table.eventCount);
  let end = 0;
  for (const order of orders) {
    const stored = new Uint32Array(order.eventCount);
    let position = 0;
    for (const segment of order.segments) {
      stored.set(segment.datesAndRows(segment.eventCount).dates, position);
      position += segment.eventCount;
    }
    for (let row = 0; row + 1 < order.starts.length; row++) {
      for (let at = order.starts[row]; at < order.starts[row + 1]; at++) {
        const date = order.dates[at];
        if (at > order.starts[row] && order.dates[at - 1] > date)
          throw new Error(`row ${row} is not in order`);
        if (stored[order.positions[at]] !== date)
          throw new Error(`position ${order.positions[at]} has another date`);
        events[end++] = keyOf(row, date, order.codes?.[at] ?? -1);
      }
    }
  }
  return events.sort();
}

/** Writes to the table; `newRowEnd` grows as new entities come. */
function change(prng: Prng, table: EventTable, rowEnd: number): number {
  const kind = prng.below(10);
  if (kind < 6) {
    const count = prng.pick([1, 500, 20_000, SEGMENT_ROWS_MAX]);
    const days = prng.pick([1, 60]);
    const end = rowEnd + prng.below(20);
    const row = prng.chance(0.1) ? prng.below(end) : -1;
    for (let event = 0; event < count; event++) {
      const date = START + prng.below(days * 86_400);
      appendValue(table, row < 0 ? prng.below(end) : row, date, prng.between(1, CODES));
    }
    return end;
  }
  if (kind === 6) table.expire(START + prng.below(30 * 86_400));
  else if (kind === 7) {
    table.remap(Uint32Array.from({ length: rowEnd }, (_, row) => (prng.chance(0.05) ? DEAD_ROW : row)));
  } else if (kind === 8) {
    const codes = Uint32Array.from({ length: CODES + 1 }, (_, code) => (code + 1) >> 1);
    for (const segment of table.segments) segment.recode(codes);
  }
  return rowEnd;
}

t.test('orders equal the stored events after every write', async (t) => {
  const prng = new Prng(SEED);
  for (const retainedBytesMin of [0, 2 ** 22, 2 ** 30]) {
    const table = new EventTable(new ArenaPool(null), 5, 'code');
    const orders = new EventOrders({ restMin: 30_000, retainedBytesMin });
    const run = boundedRun(2 ** 26);
    let rowEnd = ROWS;
    for (let step = 0; step < 25; step++) {
      rowEnd = change(prng, table, rowEnd);
      for (let question = 0; question < 2; question++) {
        const own = run.child();
        const found = orders.of(table, rowEnd, own);
        const [is, wanted] = [ordered(table, found), stored(table)];
        t.ok(Buffer.from(is.buffer).equals(Buffer.from(wanted.buffer)), `step ${step}`);
        own.releaseAll();
        t.equal(run.reservedBytes, 0);
      }
    }
  }
});

t.test('an order is used again until its segments change, if there is memory for it', async (t) => {
  const table = new EventTable(new ArenaPool(null), 5, 'code');
  const fill = (count: number): void => {
    for (let event = 0; event < count; event++)
      appendValue(table, event % 100, START + event, 1 + (event % 9));
  };
  fill(SEGMENT_ROWS_MAX + 10);
  const orders = new EventOrders({ restMin: 1_000 });
  const run = boundedRun();
  const [base, rest] = orders.of(table, 100, run);
  t.equal(run.reservedBytes, 0, 'retained orders belong to the worker');
  t.strictSame([base.eventCount, rest.eventCount], [SEGMENT_ROWS_MAX, 10]);
  t.equal(orders.of(table, 100, run)[1], rest);
  fill(1);
  const [sameBase, newRest] = orders.of(table, 100, run);
  t.equal(sameBase, base);
  t.not(newRest, rest);
  table.segments[0].recode(Uint32Array.from({ length: 10 }, () => 1));
  const [newBase] = orders.of(table, 100, run);
  t.not(newBase, base);
  t.strictSame(new Set(newBase.codes), new Set([1]));

  const none = new EventOrders({ restMin: 1_000, retainedBytesMin: 0 });
  const small = boundedRun(2_000_000);
  const [first] = none.of(table, 100, small);
  t.ok(small.reservedBytes > 0, 'what is not retained stays in the account of the query');
  small.release(small.reservedBytes);
  t.not(none.of(table, 100, small)[0], first);
  t.throws(() => none.of(table, 100, boundedRun(1_000)), { code: 9006 });
});
