/** Groups as bytes: the same answers from them, and no damage passes. */
import { crc32 } from 'node:zlib';
import t from 'tap';
import { Prng, runToEnd } from '../../../src/base/index.js';
import { type AggregateState, type GroupPartial, INTEGER, TEXT } from '../../../src/ir/index.js';
import { finishGroups } from '../../../src/plan/index.js';
import { bytesOfGroups, bytesOfTexts, groupsOfBytes, textsOfBytes } from '../../../src/protocol/index.js';
import { BlockError, toWire, valueAt, vectorOf } from '../../../src/vector/index.js';
import { makePlan, makeRows, SIZES, spread } from '../../plan/select/generate-groups.js';
import { answerOf, partialOf } from '../../plan/select/model.js';
import { partitionedOf, partitionsRead } from '../../support/partitioned.js';

const SEED = 6_021;
t.comment(`seed ${SEED}`);

const BYTES = 2 ** 30;
const received = (partial: GroupPartial): GroupPartial =>
  groupsOfBytes(structuredClone(bytesOfGroups(partial)));

t.test('groups of all keys and aggregates keep their values', async (t) => {
  const prng = new Prng(SEED);
  const kinds = new Set<string>();
  for (let round = 0; round < 150; round++) {
    const plan = makePlan(prng);
    const rows = makeRows(prng.pick([0, 1, 40, 300]), prng, prng.pick(SIZES));
    const partials = spread(rows, prng.pick([1, 3]), prng).map((shard) => partialOf(plan, shard, prng));
    for (const { holds } of partials.flatMap(({ states }) => states)) kinds.add(holds);
    const { columns, rowCount } = runToEnd(finishGroups(plan, partials.map(received), BYTES));
    const found = Array.from({ length: rowCount }, (_, row) => columns.map((column) => valueAt(column, row)));
    t.strictSame(found, answerOf(plan, rows), `round ${round}`);
  }
  t.strictSame([...kinds].sort(), ['count', 'extreme', 'squares', 'sum', 'values']);
});

const texts = partitionedOf(
  Array.from({ length: 500 }, (_, text) => Buffer.from('t'.repeat(text % 30) + text)),
);
const oneGroup = (state: AggregateState): GroupPartial => ({ groupCount: 1, keys: [], states: [state] });

t.test('states of a single group and runs keep their values', async (t) => {
  const bits = { holds: 'bits', least: -64, words: Uint32Array.of(1, 2 ** 31, 7) } as const;
  t.strictSame(received(oneGroup(bits)), oneGroup(bits));
  const [state] = received(oneGroup({ holds: 'texts', texts })).states;
  t.strictSame(state.holds === 'texts' && partitionsRead(state.texts), partitionsRead(texts));
  const starts = Uint32Array.of(4, 5, 5, 8);
  const values = Float64Array.from({ length: 9 }, (_, value) => value);
  const runs = { holds: 'runs', starts, values, areOrdered: true } as const;
  t.strictSame(
    received({ groupCount: 3, restMax: 12, keys: [], states: [runs] }),
    {
      ...{ groupCount: 3, restMax: 12, keys: [] },
      states: [{ ...runs, starts: Uint32Array.of(0, 1, 1, 4), values: Float64Array.of(4, 5, 6, 7) }],
    },
    'only the values of the groups are sent',
  );
});

t.test('aggregates that share a state share it afterwards', async (t) => {
  const state: AggregateState = { holds: 'count', counts: Float64Array.of(3) };
  const other: AggregateState = { holds: 'count', counts: Float64Array.of(3) };
  const { states } = received({ groupCount: 1, keys: [], states: [state, other, state] });
  t.equal(states[0], states[2]);
  t.not(states[0], states[1]);
});

t.test('some partitions of texts are sent, and the others are empty', async (t) => {
  const all = partitionsRead(texts);
  const some = partitionsRead(textsOfBytes(bytesOfTexts(texts, 30, 200)));
  const none = { found: [], count: 0 };
  t.strictSame(
    some,
    all.map((partition, index) => (index >= 30 && index < 200 ? partition : none)),
  );
});

const sample = (): Uint8Array =>
  bytesOfGroups({
    groupCount: 2,
    keys: [toWire(vectorOf(INTEGER, [1n, null])), toWire(vectorOf(TEXT, ['a', 'b']))],
    states: [
      { holds: 'count', counts: Float64Array.of(1, 2) },
      {
        holds: 'values',
        groups: Uint32Array.of(0, 1),
        counts: null,
        values: toWire(vectorOf(INTEGER, [5n, 6n])),
      },
      { holds: 'runs', starts: Uint32Array.of(0, 1, 2), values: Float64Array.of(1, 2), areOrdered: false },
      { holds: 'texts', texts },
    ],
  });

function isRefused(bytes: Uint8Array): boolean {
  try {
    groupsOfBytes(bytes);
    return false;
  } catch (error) {
    if (error instanceof BlockError) return true;
    throw error;
  }
}

t.test('a changed bit and a cut are found', async (t) => {
  const bytes = sample();
  t.notOk(isRefused(bytes));
  for (let bit = 0; bit < bytes.length * 8; bit += 37) {
    const damaged = bytes.slice();
    damaged[bit >> 3] ^= 1 << (bit & 7);
    if (!isRefused(damaged)) t.fail(`bit ${bit} passes`);
  }
  for (let length = 0; length < bytes.length; length += 5) {
    if (!isRefused(bytes.subarray(0, length))) t.fail(`${length} bytes pass`);
  }
});

t.test('no change makes more of the groups than an error, though the checksum holds', async (t) => {
  const bytes = sample();
  const prng = new Prng(SEED);
  let refusedCount = 0;
  for (let at = 16; at + 4 <= bytes.length; at += 4) {
    const changed = bytes.slice();
    const view = new DataView(changed.buffer);
    view.setUint32(at, prng.pick([0, 1, 3, 9, 2 ** 20, 2 ** 31, 2 ** 32 - 1]), true);
    view.setUint32(12, crc32(changed.subarray(16)), true);
    if (isRefused(changed)) refusedCount++;
  }
  t.ok(refusedCount > 50, `${refusedCount} changes are refused`);
});
