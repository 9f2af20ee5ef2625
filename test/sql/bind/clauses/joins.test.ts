import t from 'tap';
import type { Condition } from '../../../../src/ir/index.js';
import { attribute, CITY, INTEGER, input, plan, range, TEXT, text } from '../plans.js';
import { planOf, refusalOf } from '../statements.js';

const COUNTRY = { type: TEXT, from: 'attribute', columnId: 15, kind: 'code' } as const;
const PEOPLE = { type: INTEGER, from: 'attribute', columnId: 16, kind: 'i64' } as const;
const ID = { type: TEXT, from: 'entity-id' } as const;
const ofCity = (columnId: number, test: Parameters<typeof attribute>[1]): Condition => ({
  op: 'attribute',
  columnId,
  tests: [test],
});

t.test(
  'a joined table provides the requested columns, and its conditions in WHERE filter the result',
  async (t) => {
    const found = planOf(
      "SELECT u.name, country FROM users u JOIN cities c ON c.[entity-id] = u.city WHERE people >= 5 AND c.country = 'X' AND age = 3 ORDER BY c.[entity-id]",
    );
    t.strictSame(
      found,
      plan({
        condition: attribute('age', range(3n, 3n)),
        joins: [
          {
            dimensionId: 3,
            condition: {
              op: 'and',
              members: [ofCity(16, range(5n, 2n ** 63n - 1n)), ofCity(15, text(['x']))],
            },
            kind: 'inner',
            on: input(TEXT, 0),
            columns: [COUNTRY, ID],
          },
        ],
        inputs: [
          CITY,
          { type: TEXT, from: 'attribute', columnId: 1, kind: 'code' },
          { type: TEXT, from: 'joined', join: 0, column: 0 },
          { type: TEXT, from: 'joined', join: 0, column: 1 },
        ],
        outputs: [
          { name: 'name', type: TEXT, of: input(TEXT, 1) },
          { name: 'country', type: TEXT, of: input(TEXT, 2) },
        ],
        order: [{ of: input(TEXT, 3), descending: false }],
      }),
    );
  },
);

t.test('conditions after a left join apply to rows', async (t) => {
  const { joins, filter, inputs } = planOf(
    'SELECT u.name FROM users u LEFT JOIN cities c ON u.city = c.[entity-id] WHERE people = 5',
  );
  t.strictSame(joins, [
    { dimensionId: 3, condition: null, kind: 'left', on: input(TEXT, 0), columns: [PEOPLE] },
  ]);
  t.match(filter, { op: 'compare', left: input(INTEGER, 2) });
  t.strictSame(inputs[2], { type: INTEGER, from: 'joined', join: 0, column: 0 });
});

t.test('joins can be chained, and numbers are looked up by their digits', async (t) => {
  const { joins, inputs } = planOf(
    'SELECT continent FROM users JOIN cities c ON c.[entity-id] = users.age JOIN regions r ON c.region = r.[entity-id]',
  );
  t.strictSame(
    joins.map(({ on, columns }) => ({ on, columns })),
    [
      {
        on: { op: 'cast', type: TEXT, of: input(INTEGER, 0), lenient: false },
        columns: [{ type: TEXT, from: 'attribute', columnId: 19, kind: 'code' }],
      },
      { on: input(TEXT, 1), columns: [{ type: TEXT, from: 'attribute', columnId: 20, kind: 'code' }] },
    ],
  );
  t.strictSame(inputs[1], { type: TEXT, from: 'joined', join: 0, column: 0 });
});

t.test('a join other than by entity ID is refused', async (t) => {
  const form = "a join's condition is a column = c.[entity-id]";
  const refused: readonly (readonly [on: string, message: string])[] = [
    ['u.city = c.country', form],
    ['u.city <> c.[entity-id]', form],
    ['UPPER(u.city) = c.[entity-id]', form],
    ['c.country = c.[entity-id]', form],
    ['u.city = c.[entity-id] AND people > 3', `${form} and nothing else; write other conditions in WHERE`],
    ['u.tags = c.[entity-id]', '"tags" contains lists or points, by which rows cannot be joined'],
    ['[clicks.value] = c.[entity-id]', '"clicks.value" is an event column, by which rows cannot be joined'],
    ['u.name = c.[entity-id] OR TRUE', form],
  ];
  for (const [on, message] of refused) {
    t.match(
      refusalOf(() => planOf(`SELECT age FROM users u JOIN cities c ON ${on}`)),
      { code: 6000, message },
      on,
    );
  }
  t.match(
    refusalOf(() => planOf('SELECT name FROM users u JOIN cities c ON city = c.[entity-id]')),
    {
      message: '"name" is a column of u and c: write the table before it',
    },
  );
  t.match(
    refusalOf(() => planOf('SELECT [visits.value] FROM users u JOIN cities c ON city = c.[entity-id]')),
    {
      message:
        '"visits.value" is an event column of a joined table; only events of the first table can be read',
    },
  );
  t.match(
    refusalOf(() => planOf('SELECT 1 FROM users JOIN users ON city = users.[entity-id]')),
    {
      message: 'two tables are called "users"; give one an alias',
    },
  );
  const many = Array.from(
    { length: 17 },
    (_, at) => `JOIN cities c${at} ON u.city = c${at}.[entity-id]`,
  ).join(' ');
  t.match(
    refusalOf(() => planOf(`SELECT 1 FROM users u ${many}`)),
    { message: 'there are more than 16 joins' },
  );
});
