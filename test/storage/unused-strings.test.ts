/** Unused strings are removed: the content equals the model, and the memory of the strings is released. */
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { countEntities } from '../../src/exec/index.js';
import { createLz4 } from '../../src/format/index.js';
import type { Condition } from '../../src/ir/index.js';
import { compileKernels } from '../../src/kernels/index.js';
import { loadSnapshot, type SnapshotStore, WorkerCheckpoint } from '../../src/recovery/index.js';
import { Arena, ArenaPool, type Dictionary, Shard, type StorageBounds } from '../../src/storage/index.js';
import { SIMD_KERNELS } from '../engine/store.js';
import { boundedRun } from '../exec/bounded.js';
import { generateCondition } from '../exec/condition/conditions.js';
import { countMatches } from '../ir/evaluate.js';
import { MODEL } from '../recovery/models.js';
import { faultyDisk } from '../support/faulty-disk.js';
import { KEY, ShardModel } from './shard-model.js';
import { type Change, COLUMNS, differenceOf, dumpPlain, dumpShard, type StoredColumn } from './stored.js';

const SEED = 271_828;
t.comment(`seed ${SEED}`);
t.setTimeout(120_000);

const START = 1_500_000_000;
const TEXTS = COLUMNS.filter(({ kind }) => kind === 'code');
const [LATEST, LIST, EVENT] = TEXTS;
/** Checks as often as possible. */
const OFTEN: StorageBounds = { compactionDeadMin: 1, unusedCodesMin: 1 };

/** A model that counts how often a dictionary was replaced by a smaller one. */
class Watched extends ShardModel {
  #dictionaries = new Map<number, Dictionary>();
  readonly rebuilds = new Map<number, number>();

  watch(): void {
    for (const [columnId, dictionary] of this.dimension.dictionaries) {
      const before = this.#dictionaries.get(columnId);
      if (before !== undefined && before !== dictionary) {
        this.rebuilds.set(columnId, (this.rebuilds.get(columnId) ?? 0) + 1);
      }
    }
    this.#dictionaries = new Map(this.dimension.dictionaries);
  }

  /** The distinct strings that a column keeps. */
  stringCount({ id }: StoredColumn): number {
    return (this.dimension.dictionaries.get(id)?.codeCount ?? 1) - 1;
  }
}

for (const [what, bounds] of [
  ['and compacted as often as possible', OFTEN],
  ['occasionally', { compactionDeadMin: 30, unusedCodesMin: 300 }],
] as const) {
  t.test(
    `a shard equals the model after changes of every kind, with unused strings removed ${what}`,
    async (t) => {
      const rebuilds = new Set<number>();
      for (let round = 0; round < 2; round++) {
        const prng = new Prng(SEED + round);
        const model = new Watched(bounds);
        const options = { idCount: 300, textCount: round === 0 ? 300 : 70_000, count: 100 };
        const faults: string[] = [];
        for (let step = 0; step < 25 && faults.length === 0; step++) {
          const kind = model.step(prng, options);
          faults.push(
            ...model.differences().map((fault) => `round ${round}, step ${step} (${kind}): ${fault}`),
          );
          model.watch();
        }
        t.strictSame(faults.slice(0, 2), []);
        for (const columnId of model.rebuilds.keys()) rebuilds.add(columnId);
      }
      t.strictSame(
        [...rebuilds].sort((a, b) => a - b),
        TEXTS.map(({ id }) => id),
      );
    },
  );
}

t.test(
  'a copy that is due during a rebuild contains the strings of its time, and a restart continues from it',
  async (t) => {
    let rebuilt = 0;
    for (let round = 0; round < 2; round++) {
      const prng = new Prng(SEED + 100 + round);
      const model = new Watched(OFTEN);
      const store: SnapshotStore = { fs: faultyDisk(), dir: '/store', lz4: createLz4() };
      const options = { idCount: 150, textCount: round === 0 ? 100 : 70_000, count: 60 };
      for (let lsn = 1; lsn < 7; lsn++) {
        for (let more = prng.below(5); more >= 0; more--) model.step(prng, options);
        const wanted = dumpPlain(model.entities);
        const checkpoint = new WorkerCheckpoint(store, lsn, 1, [model.shard], [MODEL]);
        const done: string[] = [];
        model.watch();
        do {
          for (let more = prng.below(3); more > 0; more--) {
            done.push(model.step(prng, options));
            model.watch();
          }
        } while (!(await checkpoint.step()));
        const shard = model.emptyShard();
        await loadSnapshot(store, await checkpoint.finish(), new Map([[0, shard]]));
        const difference = differenceOf(dumpShard(shard.dimension(KEY)), wanted);
        if (!t.equal(difference, null, `round ${round}, lsn ${lsn}, then ${done}`)) return;
        rebuilt += [...model.rebuilds.values()].reduce((sum, count) => sum + count, 0);
        if (done.length > 0 || prng.chance(0.5)) continue;
        model.shard = shard;
        t.strictSame(model.differences(), [], 'after a restart');
      }
    }
    t.ok(rebuilt > 0);
  },
);

const text = (name: string, at: number): string => `${name}-${at}-${'x'.repeat(at % 50)}`;

/** Entities from number `from` on with unique strings in every form. */
function unique(from: number, count: number, name: string, seconds = START): Change[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `e${from + index}`,
    fields: [
      { column: LATEST, latest: text(name, index) },
      { column: LIST, list: [text(`${name}-a`, index), text(`${name}-b`, index)] },
      { column: EVENT, events: [{ seconds, value: text(name, index) }] },
    ],
  }));
}

t.test('codes are rewritten in segments that did not change and are still to be copied', async (t) => {
  const model = new Watched({ compactionDeadMin: 1, unusedCodesMin: 2 ** 30 });
  const store: SnapshotStore = { fs: faultyDisk(), dir: '/store', lz4: createLz4() };
  model.insert(unique(0, 50, 'first'));
  // Long IDs fill the first segment.
  model.insert(
    Array.from({ length: 2_100 }, (_, index) => ({ id: `${index}`.padEnd(8_000, '-'), fields: [] })),
  );
  const deleted = unique(1_000, 2_000, 'second');
  model.insert(deleted);
  const [first] = model.dimension.segments;
  t.equal(model.dimension.segments.length, 2);
  t.ok(first.latest(LATEST.id) !== undefined && first.list(LIST.id) !== undefined);
  const wanted = dumpPlain(model.entities);
  const checkpoint = new WorkerCheckpoint(store, 1, 1, [model.shard], [MODEL]);
  const { changeCount } = first.snapshot;
  const inSecond = deleted.map(({ id }) => id).filter((id) => model.row(id) >>> 16 === 1);
  t.ok(inSecond.length > 1_500);
  model.watch();
  model.delete(inSecond);
  model.watch();
  t.strictSame([...model.rebuilds.keys()].sort(), TEXTS.map(({ id }) => id).sort());
  t.equal(first.snapshot.changeCount, changeCount, 'the first segment did not change');
  while (!(await checkpoint.step()));
  const shard = model.emptyShard();
  await loadSnapshot(store, await checkpoint.finish(), new Map([[0, shard]]));
  t.equal(differenceOf(dumpShard(shard.dimension(KEY)), wanted), null);
  t.strictSame(model.differences(), []);
});

const ids = (changes: readonly Change[]): string[] => changes.map(({ id }) => id);

t.test(
  'nearly all memory is released when everything was deleted, and most of it when most was',
  async (t) => {
    const model = new Watched();
    const few = unique(0, 500, 'few');
    const many = unique(1_000, 10_000, 'many');
    model.insert(few);
    const small = model.dimension.heapBytes;
    model.insert(many);
    t.ok(model.dimension.heapBytes > small * 8);
    model.delete(ids(many));
    t.ok(model.dimension.heapBytes < small * 2, `${model.dimension.heapBytes} after ${small}`);
    t.strictSame(
      TEXTS.map((column) => model.stringCount(column)),
      [500, 1000, 500],
    );
    t.strictSame(model.differences(), []);
    model.delete(ids(few));
    t.strictSame(
      TEXTS.map((column) => model.stringCount(column)),
      [0, 0, 0],
    );
    t.ok(model.dimension.heapBytes < 10_000, `${model.dimension.heapBytes}`);
    model.insert(few);
    t.strictSame(model.differences(), []);
  },
);

t.test('strings that are replaced repeatedly need no more memory than a few rounds of them', async (t) => {
  const model = new Watched({ unusedCodesMin: 2_000 });
  const sizes: number[] = [];
  for (let round = 0; round < 40; round++) {
    const changes = unique(0, 500, `round ${round}`).map(({ id, fields }) => ({
      id,
      fields: fields.slice(0, 2),
    }));
    model.insert(changes);
    sizes.push(model.dimension.heapBytes);
  }
  t.ok(Math.max(...sizes.slice(20)) <= Math.max(...sizes.slice(0, 20)), sizes.join());
  t.ok(model.stringCount(LATEST) <= 2_000 + 500);
  t.strictSame(model.differences(), []);
});

t.test('long strings are checked before they are many', async (t) => {
  const model = new Watched();
  for (let round = 0; round < 40; round++) {
    const value = (row: number): string => `${round}-${row}-${'long'.repeat(1_000)}`;
    model.insert(
      Array.from({ length: 20 }, (_, row) => ({
        id: `e${row}`,
        fields: [{ column: LATEST, latest: value(row) }],
      })),
    );
  }
  t.ok(model.dimension.heapBytes < 4 * 2 ** 20, `${model.dimension.heapBytes}`);
  t.strictSame(model.differences(), []);
});

t.test('replacing many strings with one releases them after as many changes', async (t) => {
  const model = new Watched({ unusedCodesMin: 1_000 });
  const changes = unique(0, 2_000, 'unique');
  model.insert(changes);
  for (let round = 0; round < 6; round++) {
    model.update(ids(changes), [
      { column: LATEST, latest: `same ${round}` },
      { column: LIST, list: [`same ${round}`] },
    ]);
  }
  t.ok(model.stringCount(LATEST) <= 6 && model.stringCount(LIST) <= 6);
  t.equal(model.stringCount(EVENT), 2_000, 'events are still there');
  t.strictSame(model.differences(), []);
});

t.test('strings of expired events are removed, those of other events stay', async (t) => {
  const model = new Watched();
  for (let day = 0; day < 7; day++) {
    model.insert(unique(0, 1_500, `day ${day}`, START + day * 86_400));
    model.expire(EVENT.id, START + (day - 1) * 86_400);
    t.ok(model.stringCount(EVENT) <= 6_000, `day ${day}`);
  }
  t.strictSame(model.differences(), []);
  model.expire(EVENT.id, START + 1_000 * 86_400);
  t.equal(model.stringCount(EVENT), 0);
  t.strictSame(model.differences(), []);
});

t.test('a dictionary that is small compared with its values is not checked', async (t) => {
  const model = new Watched();
  const change = (count: number, name: string): Change[] =>
    Array.from({ length: count }, (_, index) => ({
      id: `e${index}`,
      fields: [{ column: LATEST, latest: `${name}-${index % 20}` }],
    }));
  model.insert(change(30_000, 'old'));
  model.watch();
  model.insert(change(30_000, 'new'));
  model.watch();
  t.equal(model.stringCount(LATEST), 40);
  t.equal(model.rebuilds.size, 0);
});

for (const [kernels, module] of [
  ['JS', null],
  ['SIMD', compileKernels(SIMD_KERNELS)],
] as const) {
  t.test(`${kernels} kernels: conditions find the right rows between rebuilds`, async (t) => {
    const prng = new Prng(SEED + 200);
    const model = new Watched(OFTEN);
    const scratch = new Arena(module);
    model.shard = new Shard(new ArenaPool(module), 0, model.bounds);
    const wrong: string[] = [];
    const count = (condition: Condition): void => {
      const found = countEntities(model.shard, { ...KEY, condition }, scratch, boundedRun());
      const wanted = countMatches(new Map([[KEY.dimensionId, model.entities]]), KEY.dimensionId, condition);
      if (found !== wanted) wrong.push(`${found} instead of ${wanted}: ${JSON.stringify(condition.op)}`);
    };
    const options = { idCount: 400, textCount: 900, count: 150 };
    for (let step = 0; step < 30 && wrong.length === 0; step++) {
      model.step(prng, options);
      model.watch();
      for (let query = 0; query < 25; query++) {
        count(
          generateCondition(prng, { columns: TEXTS, idCount: 400, textCount: 900, depth: prng.below(3) }),
        );
      }
      // Every remaining string: zone maps must not skip its rows.
      const stored = new Set<string>();
      for (const { attributes } of model.entities.values()) {
        const value = attributes.get(LATEST.id);
        if (typeof value === 'string') stored.add(value);
      }
      for (const value of [...stored].slice(0, 20)) {
        for (const negated of [false, true]) {
          const test = { kind: 'text', match: 'equals', texts: [value], negated } as const;
          count({ op: 'attribute', columnId: LATEST.id, tests: [test] });
        }
      }
    }
    t.strictSame(wrong, []);
    t.equal(model.rebuilds.size, TEXTS.length, `rebuilt: ${[...model.rebuilds.values()]}`);
  });
}
