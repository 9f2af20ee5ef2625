/**
 * Measures counts of the members of segments on one worker with half of 10 million entities and 30 million events: the first use,
 * a use without writes in between, and uses after writes of some entities. Every count is checked against a loop.
 *   node dist/native-bench/segments/segments.bench.js [entities] [rounds]
 */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hashBytes, invariant, Prng } from '../../src/base/index.js';
import type { Batch, Section } from '../../src/column/index.js';
import { countEntities } from '../../src/exec/count.js';
import { UNBOUNDED } from '../../src/exec/query-run.js';
import type { Condition } from '../../src/ir/index.js';
import { compileKernels } from '../../src/kernels/index.js';
import { Arena, ArenaPool, Shard } from '../../src/storage/index.js';

const SEED = 7;
const BATCH_ENTITIES = 50_000;
const EVENTS_PER_ENTITY = 3;
const AGES = 100;
const PAGES = 50;
const DAY = 86_400;
const START = 1_700_000_000;
const [PEOPLE, IDS] = [1, 2];
const [AGE, VISIT] = [1, 2];

export interface SegmentRow {
  readonly segment: string;
  readonly use: string;
  readonly msMedian: number;
  readonly count: number;
}

interface Person {
  readonly age: number;
  readonly visits: readonly (readonly [page: number, date: number])[];
}

function integers(values: readonly number[]): Section['values'] {
  const words = new Uint32Array(values.length * 2);
  values.forEach((value, at) => {
    words[at * 2] = value;
  });
  return { kind: 'i64', words };
}

function batchOf(first: number, people: readonly Person[], dimensionId: number): Batch {
  const ids = people.map((_, at) => Buffer.from(`u${first + at}`));
  const idOffsets = new Uint32Array(ids.length + 1);
  ids.forEach((id, at) => {
    idOffsets[at + 1] = idOffsets[at] + id.length;
  });
  const common = { counts: null, dates: null, relationId: 0 };
  const visits = people.flatMap((person, row) => person.visits.map(([page, date]) => ({ row, page, date })));
  const sections: readonly Section[] = [
    {
      ...{ ...common, columnId: AGE, form: 'latest', valueCount: people.length },
      ...{ rows: Uint32Array.from(people.keys()), values: integers(people.map(({ age }) => age)) },
    },
    {
      ...{ ...common, columnId: VISIT, form: 'event', valueCount: visits.length },
      rows: Uint32Array.from(visits, ({ row }) => row),
      dates: Uint32Array.from(visits, ({ date }) => date),
      values: integers(visits.map(({ page }) => page)),
    },
  ];
  return {
    ...{ dimensionId, rowCount: people.length, idOffsets, idBytes: Buffer.concat(ids) },
    idHashes: Uint32Array.from(ids, (id) => hashBytes(id, 0, id.length) >>> 0),
    sections: dimensionId === PEOPLE ? sections : [],
  };
}

const range = (low: number, high: number) =>
  ({ kind: 'ranges', ranges: [{ low: BigInt(low), high: BigInt(high) }], negated: false }) as const;
const ALL = { from: 0, to: 0xffffffff };

interface Case {
  readonly name: string;
  readonly condition: Condition | null;
  readonly holds: (person: Person, at: number) => boolean;
}

const visited = (page: number): Condition => ({
  ...{ op: 'event', minfreq: 1 },
  event: { columnId: VISIT, window: ALL, tests: [range(page, page)] },
});

const CASES: readonly Case[] = [
  {
    name: 'attribute',
    condition: { op: 'attribute', columnId: AGE, tests: [range(30, 59)] },
    holds: ({ age }) => age >= 30 && age < 60,
  },
  {
    name: 'attribute and event',
    condition: {
      op: 'and',
      members: [{ op: 'attribute', columnId: AGE, tests: [range(30, 59)] }, visited(3)],
    },
    holds: ({ age, visits }) => age >= 30 && age < 60 && visits.some(([page]) => page === 3),
  },
  { name: 'static', condition: null, holds: (_person, at) => at % 10 === 0 },
];

/** Fills a shard and measures each case; `rounds` times after each number of written entities. */
export function segmentBench(wasmBytes: Uint8Array, entityCount: number, rounds: number): SegmentRow[] {
  const module = compileKernels(wasmBytes);
  const shard = new Shard(new ArenaPool(module), 0);
  const scratch = new Arena(module);
  const prng = new Prng(SEED);
  const person = (): Person => ({
    age: prng.below(AGES),
    visits: Array.from({ length: prng.below(EVENTS_PER_ENTITY * 2 + 1) }, () => [
      prng.below(PAGES),
      START + prng.below(90 * DAY),
    ]),
  });
  const counts = CASES.map(() => 0);
  for (let first = 0; first < entityCount; first += BATCH_ENTITIES) {
    const people = Array.from({ length: Math.min(BATCH_ENTITIES, entityCount - first) }, person);
    shard.apply(1, batchOf(first, people, PEOPLE));
    people.forEach((one, at) => {
      CASES.forEach(({ holds }, index) => {
        if (holds(one, first + at)) counts[index]++;
      });
      if (CASES[2].holds(one, first + at)) shard.apply(1, batchOf(first + at, [one], IDS));
    });
  }
  let next = entityCount;
  return CASES.flatMap(({ name, condition, holds }, index) => {
    const segmentId = condition === null ? IDS : 10 + index;
    const plan = {
      databaseId: 1,
      dimensionId: PEOPLE,
      condition: { op: 'segment', segmentId, condition },
    } as const;
    const expected = { count: counts[index] };
    const measure = (use: string, writes: number, times: number): SegmentRow => {
      const taken = Array.from({ length: times }, () => {
        const people = Array.from({ length: writes }, person);
        if (writes > 0) {
          shard.apply(1, batchOf(next, people, PEOPLE));
          for (const at of CASES.keys()) {
            people.forEach((one, offset) => {
              const isMember = at === 2 ? false : CASES[at].holds(one, next + offset);
              if (isMember) counts[at]++;
            });
          }
          next += writes;
        }
        expected.count = counts[index];
        const start = performance.now();
        const found = countEntities(shard, plan, scratch, UNBOUNDED);
        const ms = performance.now() - start;
        invariant(found === expected.count, `${name}, ${use}: ${found} instead of ${expected.count}`);
        return ms;
      });
      const sorted = taken.sort((a, b) => a - b);
      return { segment: name, use, msMedian: sorted[sorted.length >> 1], count: expected.count };
    };
    invariant(typeof holds === 'function', 'a case has a model');
    return [
      measure('first', 0, 1),
      measure('no writes', 0, rounds),
      measure('10 entities written', 10, rounds),
      measure('1,000 entities written', 1_000, rounds),
    ];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [entities = 5_000_000, rounds = 15] = process.argv.slice(2).map(Number);
  const wasm = fs.readFileSync(fileURLToPath(new URL('../../src/kernels/kernels.wasm', import.meta.url)));
  console.table(segmentBench(wasm, entities, rounds));
}
