/** The texts to count before groups are merged; the result is the same without counting them. */
import t from 'tap';
import { Prng, runToEnd } from '../../../src/base/index.js';
import { type Aggregate, type AggregateState, type GroupPartial, INTEGER } from '../../../src/ir/index.js';
import { finishGroups } from '../../../src/plan/select/finish-groups.js';
import { textsToCount } from '../../../src/plan/select/texts-to-count.js';
import { type SqlType, toWire, valueAt, vectorOf } from '../../../src/vector/index.js';
import { partitionedOf } from '../../support/partitioned.js';
import { inputOf, planOf } from './model.js';

const SEED = 4_711;
t.comment(`seed ${SEED}`);

const TEXT: SqlType = { type: 'text' };
const bytesOf = (texts: Iterable<string>): Buffer[] => Array.from(texts, (text) => Buffer.from(text));
const putTogether = (texts: Iterable<string>): AggregateState => ({
  holds: 'texts',
  texts: partitionedOf(bytesOf(texts)),
});
const listed = (texts: Iterable<string>): AggregateState => ({
  holds: 'values',
  groups: null,
  counts: null,
  values: toWire(vectorOf(TEXT, [...texts])),
});
const partialOf = (...states: AggregateState[]): GroupPartial => ({ groupCount: 1, keys: [], states });

t.test('texts are counted only if several shards partitioned them', async (t) => {
  const [first, second] = [putTogether(['a', 'b']), putTogether(['b', ''])];
  const count: AggregateState = { holds: 'count', counts: Float64Array.of(2) };
  const found = textsToCount([
    partialOf(count, first, first, first, listed(['a'])),
    partialOf(count, second, listed(['b']), listed([]), listed(['b'])),
  ]);
  t.strictSame([...found.keys()], [1]);
  t.strictSame(
    [...(found.get(1) ?? [])],
    [first, second].map((state) => state.holds === 'texts' && state.texts),
  );
  t.equal(textsToCount([]).size, 0);
});

t.test(
  'the number of distinct texts is the same whether or not it was counted before the merge',
  async (t) => {
    const aggregate: Aggregate = {
      function: 'count',
      of: inputOf(0, TEXT),
      distinct: true,
      feed: 'rows',
      fraction: null,
      type: INTEGER,
    };
    const grouping = { keys: [], perEntity: false, aggregates: [aggregate] };
    const plan = planOf({ grouping, outputs: [{ name: 'c', of: inputOf(0, INTEGER), type: INTEGER }] });
    const prng = new Prng(SEED);
    for (const [shardCount, range] of [
      [1, 500],
      [2, 40],
      [2, 9_000],
      [3, 700],
    ]) {
      const shards = Array.from(
        { length: shardCount },
        () =>
          new Set(
            Array.from({ length: 600 }, () => `${'ü'.repeat(prng.below(9))}${prng.below(range)}`).concat(''),
          ),
      );
      const all = new Set(shards.flatMap((texts) => [...texts]));
      const partials = shards.map((texts) =>
        partialOf(prng.chance(0.7) ? putTogether(texts) : listed(texts)),
      );
      const answer = (notified?: ReadonlyMap<number, number>): unknown => {
        const { columns, rowCount } = runToEnd(finishGroups(plan, partials, 2 ** 26, notified));
        return [rowCount, Number(valueAt(columns[0], 0))];
      };
      t.strictSame(answer(), [1, all.size]);
      t.strictSame(answer(new Map([[0, all.size]])), [1, all.size]);
    }
  },
);
