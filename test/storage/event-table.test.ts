/** Event tables compared with plain lists of events: appends, sealing, windows by bisection, widening. */
import t from 'tap';
import { Prng, SEGMENT_ROWS_MAX } from '../../src/base/index.js';
import { ARENA_BYTES, ArenaPool, type EventSegment, EventTable } from '../../src/storage/index.js';
import { appendValue, type Stored, valueAt } from './stored.js';

const SEED = 777;
t.comment(`seed ${SEED}`);

const DAY = 86_400;
const START = 1_500_000_000;

interface Event {
  readonly row: number;
  readonly date: number;
  readonly value: Stored;
}

function append(table: EventTable, { row, date, value }: Event): void {
  appendValue(table, row, date, value);
}

function eventAt(segment: EventSegment, segmentRow: number): Event {
  const { rows, dates } = segment.datesAndRows(segment.eventCount);
  return { row: rows[segmentRow], date: dates[segmentRow], value: valueAt(segment, segmentRow, String) };
}

const eventsOf = (segment: EventSegment): Event[] =>
  Array.from({ length: segment.eventCount }, (_, segmentRow) => eventAt(segment, segmentRow));

function generate(prng: Prng, kind: EventTable['kind'], row: number): Event {
  const date = START + prng.below(40) * DAY + (prng.chance(0.5) ? prng.below(DAY) : 0);
  if (kind === 'code') return { row, date, value: String(prng.between(1, prng.pick([200, 900, 90_000]))) };
  if (kind === 'geo') return { row, date, value: [prng.unit(), -prng.unit()] };
  return { row, date, value: prng.pick([-(2n ** 63n), 2n ** 63n - 1n, BigInt(prng.below(1000))]) };
}

const shown = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}` : value);

for (const kind of ['i64', 'code', 'geo'] as const) {
  t.test(
    `events of kind ${kind}: full segments are sealed in stable order of date, and no event is lost`,
    async (t) => {
      const prng = new Prng(SEED);
      const pool = new ArenaPool(null);
      const table = new EventTable(pool, 5, kind);
      const events = Array.from({ length: 2 * SEGMENT_ROWS_MAX + 500 }, (_, row) =>
        generate(prng, kind, row),
      );
      for (const event of events) append(table, event);
      t.strictSame(
        table.segments.map(({ eventCount, sealed }) => [eventCount, sealed]),
        [
          [SEGMENT_ROWS_MAX, true],
          [SEGMENT_ROWS_MAX, true],
          [500, false],
        ],
      );
      t.equal(table.eventCount, events.length);
      let wrong = 0;
      table.segments.forEach((segment, index) => {
        const value = events.slice(index * SEGMENT_ROWS_MAX, (index + 1) * SEGMENT_ROWS_MAX);
        // Array.prototype.sort is stable.
        const wanted = segment.sealed ? value.sort((a, b) => a.date - b.date) : value;
        eventsOf(segment).forEach((event, segmentRow) => {
          if (JSON.stringify(event, shown) !== JSON.stringify(wanted[segmentRow], shown)) wrong++;
        });
      });
      t.equal(wrong, 0);
      table.release();
      t.equal(pool.usedBytes, 0);
    },
  );
}

t.test('the rows of a window in a sealed segment are exactly its events, at every edge', async (t) => {
  const prng = new Prng(SEED + 1);
  const table = new EventTable(new ArenaPool(null), 5, 'i64');
  for (let row = 0; row <= SEGMENT_ROWS_MAX; row++) append(table, generate(prng, 'i64', row));
  const [segment] = table.segments;
  const dates = eventsOf(segment).map(({ date }) => date);
  t.ok(segment.sealed);
  t.strictSame([segment.dateMin, segment.dateMax], [dates[0], dates[dates.length - 1]]);
  const edges = [dates[0], dates[1], dates[30_000], dates[dates.length - 1], START + 20 * DAY];
  let wrong = 0;
  for (let round = 0; round < 300; round++) {
    const from = prng.pick([...edges, 0, START + prng.below(40 * DAY)]) + prng.between(-1, 1);
    const to = prng.pick([...edges, 2 ** 32, START + prng.below(40 * DAY)]) + prng.between(-1, 1);
    const segmentRows = segment.rangeWithin(from, to);
    const wanted = dates.filter((date) => date >= from && date <= to).length;
    if (segmentRows.to - segmentRows.from !== wanted) wrong++;
    else if (wanted > 0 && dates[segmentRows.from] < from) wrong++;
  }
  t.equal(wrong, 0);
});

t.test(
  'an unsealed segment returns all rows for a window that overlaps its dates, otherwise none',
  async (t) => {
    const table = new EventTable(new ArenaPool(null), 5, 'i64');
    const tail = table.tail();
    t.strictSame(tail.rangeWithin(0, 2 ** 32 - 1), { from: 0, to: 0 });
    for (const date of [START + 5, START, START + 9]) append(table, { row: 1, date, value: 1n });
    t.strictSame(tail.rangeWithin(START + 6, START + 7), { from: 0, to: 3 });
    t.strictSame(tail.rangeWithin(START + 9, START + 9), { from: 0, to: 3 });
    t.strictSame(tail.rangeWithin(START + 10, START + 99), { from: 0, to: 0 });
    t.strictSame(tail.rangeWithin(0, START - 1), { from: 0, to: 0 });
    t.strictSame(tail.rangeWithin(START + 9, START), { from: 0, to: 0 }, 'an empty window');
  },
);

t.test('codes widen, also into another arena, together with rows and dates', async (t) => {
  const table = new EventTable(new ArenaPool(null), 5, 'code');
  const events: Event[] = [];
  const add = (value: number): void => {
    events.push({ row: events.length * 3, date: START + events.length, value: String(value) });
    append(table, events[events.length - 1]);
  };
  for (let code = 1; code <= 255; code++) add(code);
  const [segment] = table.segments;
  const { arena } = segment;
  t.equal(segment.width, 1);
  add(256);
  t.equal(segment.width, 2);
  t.equal(segment.arena, arena);
  for (let bytes = ARENA_BYTES / 2; bytes >= 64; bytes /= 2) while (arena.allocate(bytes) !== null);
  add(65_536);
  t.equal(segment.width, 4);
  t.not(segment.arena, arena);
  for (let more = 0; more < 2000; more++) add(more + 1);
  t.strictSame(eventsOf(segment), events);
});

t.test('a restored segment equals the written one, sealed or not', async (t) => {
  const count = 700;
  const rows = Uint32Array.from({ length: count }, (_, segmentRow) => segmentRow * 7);
  const dates = Uint32Array.from({ length: count }, (_, segmentRow) => START + segmentRow);
  for (const sealed of [true, false]) {
    for (const scale of [1n, 100n, 10n ** 7n, -(10n ** 15n)]) {
      const values = Array.from({ length: count }, (_, segmentRow) => BigInt(segmentRow % 100) * scale);
      const words = new Uint32Array(BigInt64Array.from(values).buffer);
      const table = new EventTable(new ArenaPool(null), 5, 'i64');
      const segment = table.addSegment();
      segment.restore(rows, dates, { kind: 'i64', words }, null, sealed);
      t.strictSame(
        eventsOf(segment).map(({ value }) => value),
        values,
      );
      t.strictSame(segment.datesAndRows(count), { rows, dates });
      t.strictSame([segment.sealed, segment.dateMin, segment.dateMax], [sealed, START, START + count - 1]);
      const window = segment.rangeWithin(START + 10, START + 19);
      t.strictSame(window, sealed ? { from: 10, to: 20 } : { from: 0, to: count });
    }
  }
});

t.test(
  'links stay with their events when a segment grows, widens, is sealed, loses events and is restored',
  async (t) => {
    const prng = new Prng(SEED + 2);
    const table = new EventTable(new ArenaPool(null), 5, 'code');
    // Every event's link follows from its row; the first 300 links are 0.
    const linkOf = (row: number): number => (row < 300 ? 0 : row * 3 + 1);
    const count = SEGMENT_ROWS_MAX + 700;
    for (let row = 0; row < count; row++) {
      const event = generate(prng, 'code', row);
      append(table, event);
      const tail = table.segments[table.segments.length - 1];
      if (linkOf(row) !== 0) tail.setLink(tail.eventCount - 1, linkOf(row));
    }
    const check = (what: string): void => {
      for (const segment of table.segments) {
        const { rows } = segment.datesAndRows(segment.eventCount);
        const wrong = segment.links()?.filter((link, segmentRow) => link !== linkOf(rows[segmentRow]));
        t.equal(wrong?.length, 0, what);
      }
    };
    check('sealed');
    table.expire(START + 10 * DAY);
    check('some events are expired');
    t.ok(table.eventCount < count && table.eventCount > count / 2);
    const [sealed] = table.segments;
    const { rows, dates } = sealed.datesAndRows(sealed.eventCount);
    const codes = Uint32Array.from({ length: sealed.eventCount }, (_, segmentRow) => segmentRow + 1);
    const again = new EventTable(new ArenaPool(null), 5, 'code').addSegment(7);
    again.restore(rows, dates, { kind: 'code', codes }, sealed.links(), true);
    t.ok(again.links()?.every((link, segmentRow) => link === linkOf(rows[segmentRow])));
    t.equal(again.number, 7);
  },
);

t.test('after an expiry the next event starts a new segment after the sealed one', async (t) => {
  const prng = new Prng(SEED + 3);
  const table = new EventTable(new ArenaPool(null), 5, 'i64');
  for (let row = 0; row <= SEGMENT_ROWS_MAX; row++) {
    append(table, { ...generate(prng, 'i64', row), date: row === SEGMENT_ROWS_MAX ? START : START + row });
  }
  t.notOk(table.expire(START), 'no event is older');
  t.ok(table.expire(START + 1000));
  t.notOk(table.expire(START + 1000), 'no event is left to remove');
  t.strictSame(
    table.segments.map(({ eventCount, sealed, dateMin, number }) => [eventCount, sealed, dateMin, number]),
    [[SEGMENT_ROWS_MAX - 1000, true, START + 1000, 0]],
  );
  append(table, { row: 1, date: START + 5, value: 1n });
  t.strictSame(
    table.segments.map(({ eventCount, number }) => [eventCount, number]),
    [
      [SEGMENT_ROWS_MAX - 1000, 0],
      [1, 1],
    ],
  );
  t.equal(table.oldest, START + 5);
  t.ok(table.expire(2 ** 32));
  t.equal(table.oldest, Number.POSITIVE_INFINITY);
  t.strictSame(table.segments, []);
});
