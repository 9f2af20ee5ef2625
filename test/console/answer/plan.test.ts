/** Plans as trees. */
import t from 'tap';
import { readAnswer } from '../../../src/console/answer/behaviour.js';
import { planOf } from '../../../src/console/answer/plan.js';

const row = (
  operator: string,
  shard: number | null,
  rows: number | null,
  milliseconds: number | null,
  detail = '',
) => ({
  ...{ operator, shard, 'estimated-rows': rows, rows, milliseconds, detail },
});

t.test('blanks make children, and shards of one operator are one', async (t) => {
  const nodes = planOf([
    row('stage 0 on all shards', null, null, null),
    row('  group', null, 3, 2, 'by state'),
    row('    scan', 0, 5, 1, 'airports: 5 entities'),
    row('    scan', 1, 7, 4, 'airports: 7 entities'),
    row('answer', null, 3, 9),
  ]);
  const none = { shards: null, children: [] };
  const scan = {
    operator: 'scan',
    detail: 'airports',
    rows: 12,
    estimatedRows: 12,
    milliseconds: 4,
    shards: 2,
  };
  const group = {
    operator: 'group',
    detail: 'by state',
    rows: 3,
    estimatedRows: 3,
    milliseconds: 2,
    shards: null,
  };
  t.strictSame(nodes, [
    {
      ...{
        operator: 'stage 0 on all shards',
        detail: '',
        rows: null,
        estimatedRows: null,
        milliseconds: null,
        shards: null,
      },
      children: [{ ...group, children: [{ ...scan, children: [] }] }],
    },
    { ...none, operator: 'answer', detail: '', rows: 3, estimatedRows: 3, milliseconds: 9 },
  ]);
});

t.test('other rows are no plan', async (t) => {
  t.equal(planOf([]), null);
  t.equal(planOf([{ operator: 'scan', shard: 1 }]), null);
  t.match(readAnswer('/v1/sql', { result: [row('scan', null, 1, 1)] }).charts, [{ kind: 'plan' }]);
  t.equal(readAnswer('/v1/sql', { result: [{ a: 1 }] }).charts, null);
});

t.test('overlaps and comparisons are tables', async (t) => {
  const overlap = { segments: [{ name: 'a', count: 3 }], combinations: [{ in: ['a', 'b'], count: 2 }] };
  const read = readAnswer('/v1/query/overlap', { result: { answer: overlap } });
  t.strictSame(read.tables[0].rows, [['a and b', 2]]);
  t.match(read.charts, [{ kind: 'bars', bars: [{ name: 'a and b', value: 2 }] }]);
  const value = { column: 'c', value: 'x', counts: [3, 1], shares: [0.5, null], lift: null, 'p-value': 0.01 };
  const compared = readAnswer('/v1/query/compare', { result: { answer: [value] } });
  t.strictSame(compared.tables[0].rows, [['c', 'x', 3, '50.0%', 1, '–', null, 0.01]]);
});
