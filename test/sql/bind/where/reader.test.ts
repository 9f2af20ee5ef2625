import t from 'tap';
import { Prng, QuarryError } from '../../../../src/base/index.js';
import { planOf, refusalOf } from '../statements.js';
import { generateCase, judge, scoreOf, sqlOf } from '../where-cases.js';
import { generateUser, usersIn, valuesOf } from '../where-rows.js';

const SEED = 2018;
const CASES = 1_000;

t.test(`WHERE is true for the users that it describes, and scores them, seed ${SEED}`, async (t) => {
  const prng = new Prng(SEED);
  const users = Array.from({ length: 30 }, (_, number) => generateUser(prng, number));
  const seen = { conditions: 0, filters: 0, both: 0, found: 0 };
  for (let round = 0; round < CASES; round++) {
    const where = generateCase(prng, prng.pick([0, 1, 1, 2, 3]));
    const sql = `SELECT [entity-id], score FROM users WHERE ${sqlOf(where)}`;
    const plan = planOf(sql);
    const expected = users.filter((user) => judge(where, user) === true);
    const found = usersIn(plan, users);
    const scores = valuesOf(plan.outputs[1].of, plan.inputs, found);
    if (plan.filter === null) seen.conditions++;
    else if (plan.condition === null) seen.filters++;
    else seen.both++;
    seen.found += found.length;
    const actual = found.map(({ id }, row) => [id, scores[row]]);
    const right = expected.map((user) => [user.id, scoreOf(where, user)]);
    if (JSON.stringify(actual) !== JSON.stringify(right)) t.strictSame(actual, right, sql);
  }
  t.ok(Math.min(seen.conditions, seen.filters, seen.both) > 50 && seen.found > CASES, JSON.stringify(seen));
});

t.test('conditions, columns and nesting are limited', async (t) => {
  const many = (count: number, member: (index: number) => string, op = ' AND '): string =>
    `SELECT name FROM users WHERE ${Array.from({ length: count }, (_, index) => member(index)).join(op)}`;
  t.equal(planOf(many(250, (index) => `age <> ${index}`)).filter, null);
  t.strictSame(
    refusalOf(() => planOf(many(251, () => 'age = 1'))),
    {
      code: 6000,
      message: 'there are more than 250 conditions',
      line: 1,
      column: 30 + 250 * 12,
    },
  );
  t.match(
    refusalOf(() => planOf(many(100_000, () => 'age = 1', ' OR '))),
    { code: 6000 },
  );
  const nested = (depth: number): string =>
    `SELECT name FROM users WHERE ${'NOT ('.repeat(depth)}age = 1${')'.repeat(depth)}`;
  t.equal(planOf(nested(30)).filter, null);
  t.throws(() => planOf(nested(70)), QuarryError);
});

t.test('LOWER of a string column, which is stored in lower case, is the column itself', async (t) => {
  const conditionOf = (where: string) => planOf(`SELECT [entity-id], score FROM users WHERE ${where}`);
  for (const [lowered, plain] of [
    ["LOWER(name) LIKE '%Ann%'", "name LIKE '%Ann%'"],
    ["LCASE(name) NOT LIKE 'a_'", "name NOT LIKE 'a_'"],
    ["LOWER(name) = 'Ann'", "name = 'Ann'"],
    ["'Ann' <> LOWER(name)", "name <> 'Ann'"],
    ["LOWER(name) IN ('a', 'b')", "name IN ('a', 'b')"],
  ]) {
    t.strictSame(conditionOf(lowered), conditionOf(plain), lowered);
  }
  t.not(conditionOf("LOWER(name || 'x') = 'annx'").filter, null, 'other texts are evaluated');
  t.not(conditionOf("UPPER(name) = 'ANN'").filter, null);
});
