/** Retained entities of event conditions equal those that are computed anew, after writes of every kind and as windows move. */
import t from 'tap';
import { invariant, Prng, SEGMENT_ROWS_MAX } from '../../../src/base/index.js';
import { entitiesWithEvents } from '../../../src/exec/condition/event-leaf.js';
import { EventMembers, RetainedEvents } from '../../../src/exec/condition/event-members.js';
import type { EventTest, Window } from '../../../src/ir/index.js';
import { compileKernels } from '../../../src/kernels/index.js';
import { ArenaPool, DimensionShard } from '../../../src/storage/index.js';
import { SIMD_KERNELS } from '../../engine/store.js';
import { appendValue, batchOf, COLUMNS } from '../../storage/stored.js';
import { boundedRun } from '../bounded.js';

const SEED = Number(process.env.QUARRY_SEED ?? Date.now() % 1_000_000);
t.comment(`seed ${SEED}`);

const COLUMN = COLUMNS.find(({ form, kind }) => form === 'event' && kind === 'i64') as (typeof COLUMNS)[0];
const START = 1_000_000;
const SPREAD = 2_000;
const ENTITIES = 3_000;
const STEPS = 60;

class Site {
  readonly prng: Prng;
  readonly shard: DimensionShard;
  #written = 0;

  constructor(prng: Prng) {
    this.prng = prng;
    this.shard = new DimensionShard(new ArenaPool(compileKernels(SIMD_KERNELS)), 1);
    this.insert(ENTITIES);
  }

  #date(): number {
    return START + this.prng.below(SPREAD);
  }

  /** New entities, each with an event. */
  insert(count: number): void {
    const changes = Array.from({ length: count }, () => {
      const events = [{ seconds: this.#date(), value: BigInt(this.prng.below(100)) }];
      return { id: `e${this.#written++}`, fields: [{ column: COLUMN, events }] };
    });
    this.shard.apply(batchOf(1, changes));
  }

  append(count: number): void {
    const table = this.shard.eventTable(COLUMN.id, 'i64');
    for (let event = 0; event < count; event++) {
      appendValue(table, this.prng.below(this.shard.rowEnd), this.#date(), BigInt(this.prng.below(100)));
    }
  }

  step(): void {
    const { prng, shard } = this;
    const kind = prng.below(20);
    if (kind === 0) this.append(SEGMENT_ROWS_MAX);
    else if (kind === 1) shard.expire(COLUMN.id, START + prng.below(SPREAD / 10));
    else if (kind === 2) shard.delete(Uint32Array.of(prng.below(shard.rowEnd)));
    else if (kind === 3) shard.dropColumn(COLUMN.id);
    else if (kind < 8) this.insert(prng.between(1, 200));
    else if (kind < 17) this.append(prng.between(1, 300));
  }

  window(): Window {
    const from = START + this.prng.below(SPREAD);
    return this.prng.chance(0.2) ? { from: 0, to: 0xffffffff } : { from, to: from + this.prng.below(SPREAD) };
  }

  event(): EventTest {
    const low = BigInt(this.prng.below(100));
    const high = low + BigInt(this.prng.below(40));
    const tests = this.prng.chance(0.8)
      ? [{ kind: 'ranges' as const, ranges: [{ low, high }], negated: this.prng.chance(0.2) }]
      : [];
    return { columnId: COLUMN.id, window: this.window(), tests };
  }

  moved(event: EventTest): EventTest {
    if (this.prng.chance(0.1)) return { ...event, window: this.window() };
    const by = this.prng.below(5);
    const { from, to } = event.window;
    return { ...event, window: { from: from + by, to: Math.min(to + by, 0xffffffff) } };
  }
}

/** The rows whose bits differ. */
function differences(shard: DimensionShard, found: Uint8Array, expected: Uint8Array): number[] {
  const rows: number[] = [];
  for (let row = 0; row < shard.rowEnd; row++) {
    if (((found[row >> 3] ^ expected[row >> 3]) >> (row & 7)) & 1) rows.push(row);
  }
  return rows;
}

t.test('retained entities equal those that are computed anew', async (t) => {
  const prng = new Prng(SEED);
  const run = boundedRun();
  for (const isMoving of [false, true]) {
    const site = new Site(prng);
    const leaves = Array.from({ length: 6 }, (_, at) => {
      const minfreq = prng.between(1, 4);
      const events = Array.from({ length: at < 3 ? 1 : prng.between(1, 3) }, () => site.event());
      return { minfreq, events, members: new EventMembers(minfreq) };
    });
    for (let step = 0; step < STEPS; step++) {
      site.step();
      for (const leaf of leaves) {
        if (isMoving && prng.chance(0.6)) leaf.events = leaf.events.map((event) => site.moved(event));
        const found = leaf.members.current(site.shard, leaf.events, run);
        const expected = entitiesWithEvents(site.shard, leaf.events, leaf.minfreq, run);
        const rows = differences(site.shard, found, expected);
        invariant(
          rows.length === 0,
          `step ${step}: ${JSON.stringify(leaf.events, String)} differs in ${rows}`,
        );
      }
    }
    t.ok(site.shard.rowEnd > ENTITIES, `windows that move: ${isMoving}`);
  }
});

t.test('an error while events are counted makes the next use count them anew', async (t) => {
  const site = new Site(new Prng(SEED));
  const [event, members] = [site.event(), new EventMembers(2)];
  members.current(site.shard, [event], boundedRun());
  site.append(500);
  const stopped = boundedRun();
  stopped.check = () => {
    throw new Error('stopped');
  };
  const whole = { ...event, window: { from: 0, to: 0xffffffff } };
  t.throws(() => members.current(site.shard, [whole], stopped), /stopped/);
  const found = members.current(site.shard, [event], boundedRun());
  t.strictSame(differences(site.shard, found, entitiesWithEvents(site.shard, [event], 2, boundedRun())), []);
});

t.test(
  'equal conditions of a segment are retained apart, and those that are not taken are dropped',
  async (t) => {
    const site = new Site(new Prng(SEED));
    const run = boundedRun();
    const [early, late] = [0, SPREAD / 2].map((from) => {
      return {
        columnId: COLUMN.id,
        tests: [],
        window: { from: START + from, to: START + from + SPREAD / 2 - 1 },
      };
    });
    let retained: RetainedEvents | null = null;
    for (let use = 0; use < 3; use++) {
      const next: RetainedEvents = new RetainedEvents(retained);
      site.append(100);
      for (const event of use === 2 ? [early] : [early, late]) {
        const found = next.entities(site.shard, [event], 1, run);
        t.strictSame(differences(site.shard, found, entitiesWithEvents(site.shard, [event], 1, run)), []);
      }
      if (use === 2) t.equal(next.bytes, (retained?.bytes ?? 0) / 2, 'dropped');
      retained = next;
    }
  },
);

t.test('an entity with more events than a count can hold is computed for every use', async (t) => {
  const site = new Site(new Prng(SEED));
  const table = site.shard.eventTable(COLUMN.id, 'i64');
  const event = { columnId: COLUMN.id, tests: [], window: { from: 0, to: 0xffffffff } };
  const members = new EventMembers(3);
  for (let round = 0; round < 3; round++) {
    for (let at = 0; at < 35_000; at++) appendValue(table, 7, START, 1n);
    const expected = entitiesWithEvents(site.shard, [event], 3, boundedRun());
    t.strictSame(differences(site.shard, members.current(site.shard, [event], boundedRun()), expected), []);
  }
});
