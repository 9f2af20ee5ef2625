import t from 'tap';
import type { Condition } from '../../../../src/ir/index.js';
import { ALWAYS } from '../../../../src/sql/bind/where/predicate.js';
import { events, hasEvent, text } from '../plans.js';
import { planOf, refusalOf } from '../statements.js';

const least = (minfreq: number, event = events('clicks')): Condition => ({
  op: 'freqgroup',
  events: [event],
  minfreq,
});
const not = (member: Condition): Condition => ({ op: 'not', member });
const and = (...members: readonly Condition[]): Condition => ({ op: 'and', members });

t.test('without GROUP BY, COUNT of events applies to each entity', async (t) => {
  const expected: readonly (readonly [having: string, condition: Condition | null])[] = [
    ['COUNT([clicks.value]) > 4', least(5)],
    ['COUNT([clicks.date]) >= 4', least(4)],
    ['4.5 < COUNT([clicks.value])', least(5)],
    ['COUNT([clicks.value]) < 4', not(least(4))],
    ["COUNT([clicks.value]) <= '4'", not(least(5))],
    ['COUNT([clicks.value]) = 4', and(least(4), not(least(5)))],
    ['COUNT([clicks.value]) <> 4', not(and(least(4), not(least(5))))],
    ['COUNT([clicks.value]) = 4.5', not(ALWAYS)],
    ['COUNT([clicks.value]) BETWEEN 2 AND 3', and(least(2), not(least(4)))],
    ['COUNT([clicks.value]) >= 0', null],
    [
      'NOT COUNT([clicks.value]) > 1 OR COUNT([clicks.value]) > 2',
      { op: 'or', members: [not(least(2)), least(3)] },
    ],
  ];
  for (const [having, condition] of expected) {
    const found = planOf(`SELECT COUNT([entity-id]) FROM users HAVING ${having}`);
    t.strictSame([found.condition, found.having], [condition, null], having);
  }
  const where = "WHERE [clicks.value] = 'A' AND [clicks.date] >= '1970-01-02'";
  const event = events('clicks', [text(['a'])], { from: 86_400, to: 2 ** 32 - 1 });
  const found = planOf(`SELECT COUNT(*) FROM users ${where} HAVING COUNT([clicks.value]) > 1`);
  t.strictSame(found.condition, and(hasEvent(event), least(2, event)));
  t.match(
    refusalOf(() => planOf('SELECT COUNT(*) FROM users HAVING COUNT([clicks.value]) > 10000')),
    {
      code: 6000,
      message: 'counts of events are compared with at most 10000 here',
    },
  );
});

t.test('with GROUP BY, COUNT of events is an aggregate of the group', async (t) => {
  for (const sql of [
    'SELECT name FROM users HAVING COUNT([clicks.value]) > 4',
    'SELECT city, COUNT(*) FROM users GROUP BY city HAVING COUNT([clicks.value]) > 4',
    'SELECT COUNT(*) FROM users HAVING COUNT(DISTINCT [clicks.value]) > 4',
    'SELECT COUNT(*) FROM users HAVING COUNT(age) > 4',
  ]) {
    const { condition, having } = planOf(sql);
    t.strictSame([condition, having?.op], [null, 'compare'], sql);
  }
});

t.test('conditions on events in HAVING act as in WHERE', async (t) => {
  const inWhere = planOf(
    "SELECT MAX([clicks.value]) FROM users WHERE [clicks.date] > '2017-01-01' AND [clicks.value] <> 'a'",
  );
  const inHaving = planOf(
    "SELECT MAX([clicks.value]) FROM users HAVING [clicks.date] > '2017-01-01' AND [clicks.value] <> 'a'",
  );
  const inBoth = planOf(
    "SELECT MAX([clicks.value]) FROM users WHERE [clicks.value] <> 'a' HAVING [clicks.date] > '2017-01-01'",
  );
  t.strictSame(inHaving, inWhere);
  t.strictSame(inBoth, inWhere);
  const grouped = planOf(
    "SELECT [clicks.value] FROM users GROUP BY [clicks.value] HAVING COUNT(*) > 1 AND [clicks.value] = 'a'",
  );
  t.strictSame(
    [grouped.events, grouped.condition, grouped.having?.op],
    [events('clicks', [text(['a'])]), null, 'compare'],
  );
});

t.test('a window in HAVING narrows the conditions of an OR in WHERE', async (t) => {
  const window = { from: 86_400, to: 2 ** 32 - 1 };
  const { condition } = planOf(
    "SELECT COUNT(*) FROM users WHERE [clicks.value] = 'a' OR [clicks.value] = 'b' HAVING [clicks.date] >= '1970-01-02'",
  );
  t.strictSame(condition, hasEvent(events('clicks', [text(['a', 'b'])], window)));
  const beside = planOf(
    "SELECT COUNT(*) FROM users WHERE [clicks.value] = 'a' OR [clicks.value] IS NULL HAVING [clicks.date] >= '1970-01-02'",
  );
  const missing: Condition = {
    op: 'not',
    member: { op: 'freqgroup', events: [events('clicks', [])], minfreq: 1 },
  };
  const of = hasEvent(events('clicks', [text(['a'])], window));
  t.strictSame(beside.condition, {
    op: 'and',
    members: [{ op: 'or', members: [of, missing] }, hasEvent(events('clicks', [], window))],
  });
});
