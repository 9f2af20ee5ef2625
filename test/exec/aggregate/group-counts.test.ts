/** Counts by value and group are the same in an array, in a hash table, and after a switch from one to the other. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { GroupCounts } from '../../../src/exec/aggregate/group-counts.js';
import { ManyGroups, PairList } from '../../../src/exec/aggregate/group-rows.js';
import { DirectNumbering } from '../../../src/exec/aggregate/numbering.js';
import { COLUMNS } from '../../storage/stored.js';
import { boundedRun } from '../bounded.js';
import { linesOf } from './rounds.js';
import { ShardPair } from './shard-pair.js';

const SEED = 161_803;
t.comment(`seed ${SEED}`);

t.test(
  'an array, a hash table and an array that switches to a hash table return the same counts',
  async (t) => {
    const prng = new Prng(SEED);
    const pair = new ShardPair(null);
    const rowCount = 300;
    const fields = [{ column: COLUMNS[0], latest: 1n }];
    pair.apply(Array.from({ length: rowCount }, (_, row) => ({ id: `entity-${row}`, fields })));
    const run = boundedRun();
    const memory = run.child();
    const pairs = new PairList(memory);
    const groupsOfRow = Array.from({ length: rowCount }, () =>
      [...Array(40).keys()].filter(() => prng.chance(0.1)),
    );
    groupsOfRow.forEach((groups, row) => {
      for (const group of groups) pairs.append(Uint32Array.of(row), Uint32Array.of(group), 1);
    });
    const groups = new ManyGroups(pair.dimension, 40, pairs, memory);
    const batches = Array.from({ length: 6 }, (_, batch) => {
      const numberCount = 10 + batch * 30;
      const entries = [...Array(rowCount).keys()].map((row) => ({ row, number: prng.below(numberCount) }));
      return { numberCount, entries };
    });
    const wanted = new Map<string, number>();
    for (const { entries } of batches) {
      for (const { row, number } of entries) {
        for (const group of groupsOfRow[row]) {
          const groupKey = `${group} | ${number - 5}`;
          wanted.set(groupKey, (wanted.get(groupKey) ?? 0) + 1);
        }
      }
    }
    const lines = [...wanted].map(([groupKey, count]) => `${groupKey} | ${count}`).sort();
    for (const denseMax of [0, 1_000, 3_000, 2 ** 20]) {
      const counts = new GroupCounts(pair.dimension, groups, memory, denseMax);
      for (const { numberCount, entries } of batches) {
        const rows = Uint32Array.from(entries, ({ row }) => row);
        const numbers = Uint32Array.from(entries, ({ number }) => number);
        counts.add(rows, numbers, rowCount, numberCount);
      }
      t.strictSame(
        linesOf(counts.result(new DirectNumbering(-5, 1_000), run)),
        lines,
        `array up to ${denseMax} slots`,
      );
    }
  },
);
