import t from 'tap';
import { Prng } from '../../../../src/base/index.js';
import type { Condition, EventTest, Expression } from '../../../../src/ir/index.js';
import { bindSelect } from '../../../../src/sql/index.js';
import { ALL, attribute, events, hasEvent, range, text } from '../plans.js';
import { NOW_MS, planOf, refusalOf, requestWith, selectOf } from '../statements.js';
import { generateUser, valuesOf } from '../where-rows.js';

const DAY = 86_400;
const USER = generateUser(new Prng(1), 1);
const days = (from: number, to: number): EventTest['window'] => ({ from: from * DAY, to: to * DAY });
const date = (day: number): string => `'1970-01-${String(day + 1).padStart(2, '0')}'`;
const within = (from: number, to: number): string => `[clicks.date] BETWEEN ${date(from)} AND ${date(to)}`;
const A = "[clicks.value] = 'a'";
const B = "[clicks.value] = 'b'";
const clicks = (values: readonly string[], window = ALL): EventTest =>
  events('clicks', values.length === 0 ? [] : [text(values)], window);
const and = (...members: readonly Condition[]): Condition => ({ op: 'and', members });

/** [WHERE, the condition, the events that an aggregate reads] */
const EXPECTED: readonly (readonly [where: string, condition: Condition | null, feed: EventTest])[] = [
  [`${A} AND ${within(1, 2)}`, hasEvent(clicks(['a'], days(1, 2))), clicks(['a'], days(1, 2))],
  [`${within(1, 5)} AND ${within(3, 9)}`, hasEvent(clicks([], days(3, 5))), clicks([], days(3, 5))],
  [`${within(5, 1)}`, hasEvent(clicks([], { from: 1, to: 0 })), clicks([], { from: 1, to: 0 })],
  // Parentheses around dates, or around values joined by OR, do not require a separate event.
  [
    `${A} AND ([clicks.date] >= ${date(1)} AND [clicks.date] <= ${date(2)})`,
    hasEvent(clicks(['a'], days(1, 2))),
    clicks(['a'], days(1, 2)),
  ],
  [
    `(${A} OR ${B}) AND ${within(1, 2)}`,
    hasEvent(clicks(['a', 'b'], days(1, 2))),
    clicks(['a', 'b'], days(1, 2)),
  ],
  // Parentheses around an AND require a separate event; a window next to it narrows it if it has no window of its own.
  [
    `${A} AND (${B} AND ${within(1, 2)})`,
    and(hasEvent(clicks(['a'])), hasEvent(clicks(['b'], days(1, 2)))),
    clicks(['a']),
  ],
  [
    `(${A}) AND (${B}) AND ${within(1, 2)}`,
    and(hasEvent(clicks(['a'], days(1, 2))), hasEvent(clicks(['b'], days(1, 2)))),
    clicks([], days(1, 2)),
  ],
  [`(${A}) AND ${within(1, 2)}`, hasEvent(clicks(['a'], days(1, 2))), clicks(['a'], days(1, 2))],
  [`(${A} AND ${within(1, 2)})`, hasEvent(clicks(['a'], days(1, 2))), clicks(['a'], days(1, 2))],
  [
    `NOT ${A} AND ${within(1, 2)}`,
    and({ op: 'not', member: hasEvent(clicks(['a'], days(1, 2))) }, hasEvent(clicks([], days(1, 2)))),
    clicks([], days(1, 2)),
  ],
  // A window that narrows a condition remains a condition: an entity without an event in the window does not pass.
  [
    `(active OR ${A}) AND ${within(1, 2)}`,
    and(
      { op: 'or', members: [active(), hasEvent(clicks(['a'], days(1, 2)))] },
      hasEvent(clicks([], days(1, 2))),
    ),
    clicks([], days(1, 2)),
  ],
  [
    `active AND ${within(1, 2)} OR ${A} AND ${within(1, 2)}`,
    {
      op: 'or',
      members: [and(active(), hasEvent(clicks([], days(1, 2)))), hasEvent(clicks(['a'], days(1, 2)))],
    },
    clicks([]),
  ],
  [
    `(${A} AND ${within(3, 4)}) AND ${within(1, 2)}`,
    and(hasEvent(clicks(['a'], days(3, 4))), hasEvent(clicks([], days(1, 2)))),
    clicks(['a'], { from: 1, to: 0 }),
  ],
  // Values joined by OR are one test, in parentheses or not.
  [`${A} OR ${B}`, hasEvent(clicks(['a', 'b'])), clicks(['a', 'b'])],
  [`(${A} OR ${B})`, hasEvent(clicks(['a', 'b'])), clicks(['a', 'b'])],
  ["[clicks.value] IN ('a', 'b')", hasEvent(clicks(['a', 'b'])), clicks(['a', 'b'])],
  [
    `${within(1, 2)} AND NOT (${A} AND ${within(3, 4)})`,
    and(hasEvent(clicks([], days(1, 2))), { op: 'not', member: hasEvent(clicks(['a'], days(3, 4))) }),
    clicks([], days(1, 2)),
  ],
  [`active OR ${A}`, { op: 'or', members: [active(), hasEvent(clicks(['a']))] }, clicks([])],
  [`[clicks.date] = ${date(1)}`, hasEvent(clicks([], days(1, 1))), clicks([], days(1, 1))],
  ['[clicks.date] > NULL', hasEvent(clicks([], { from: 1, to: 0 })), clicks([], { from: 1, to: 0 })],
  ['[clicks.value] IS NOT NULL', { op: 'freqgroup', events: [clicks([])], minfreq: 1 }, clicks([])],
];

function active(): Condition {
  return {
    op: 'attribute',
    columnId: 4,
    tests: [{ kind: 'ranges', ranges: [{ low: 1n, high: 1n }], negated: false }],
  };
}

t.test('members of one AND list refer to one event, to which aggregates refer as well', async (t) => {
  for (const [where, condition, feed] of EXPECTED) {
    const found = planOf(`SELECT COUNT([clicks.value]) FROM users WHERE ${where}`);
    t.strictSame([found.condition, found.feeds], [condition, [feed]], where);
  }
});

t.test('values of one event satisfy all tests on that event', async (t) => {
  const { feeds } = planOf(
    'SELECT SUM([spent.value]) FROM users WHERE [spent.value] > 1 AND [spent.value] <> 2 AND [spent.value] BETWEEN 0.005 AND 3.999',
  );
  t.strictSame(feeds, [
    events('spent', [
      {
        kind: 'ranges',
        ranges: [
          { low: 101n, high: 199n },
          { low: 201n, high: 399n },
        ],
        negated: false,
      },
    ]),
  ]);
});

t.test('an expression that reads no rows is a constant if it can be evaluated', async (t) => {
  const sql = 'SELECT name FROM users WHERE [clicks.date] >= DATEADD(day, -7, NOW()) AND age = 3 + 4';
  const request = { ...requestWith(), evaluate: (of: Expression) => valuesOf(of, [], [USER])[0] };
  const from = NOW_MS / 1000 - 7 * DAY - 0.789;
  const window = { from: Math.round(from), to: 2 ** 32 - 1 };
  t.strictSame(
    bindSelect(selectOf(sql), request).condition,
    and(hasEvent(clicks([], window)), attribute('age', range(7n, 7n))),
  );
  t.match(
    refusalOf(() => planOf(sql)),
    { code: 6000 },
  );
});
