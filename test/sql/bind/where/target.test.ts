import t from 'tap';
import { QuarryError } from '../../../../src/base/index.js';
import { ALWAYS, NEVER } from '../../../../src/sql/bind/where/predicate.js';
import { attribute, range, text } from '../plans.js';
import { refusalOf, targetOf } from '../statements.js';

function conditionOf(...args: Parameters<typeof targetOf>): NonNullable<ReturnType<typeof targetOf>> {
  const target = targetOf(...args);
  if (target === null) throw new Error('its rows must be read');
  return target;
}

t.test('the WHERE of a write is bound to a condition', async (t) => {
  const { dimension, condition } = conditionOf(
    "UPDATE Users SET age = 1 WHERE NOT (name = 'A' OR age IN (1, NULL)) AND city IS NULL",
  );
  t.equal(dimension.apiName, 'users');
  t.strictSame(condition, NEVER);
  t.strictSame(conditionOf("DELETE FROM users WHERE name = 'A' AND age < 3.5 AND 1 = 1").condition, {
    op: 'and',
    members: [attribute('name', text(['a'])), attribute('age', range(-(2n ** 63n), 3n))],
  });
  t.strictSame(conditionOf('DELETE FROM users WHERE [entity-id] IN (1, 2)').condition, {
    op: 'entity-id',
    tests: [text(['1', '2'])],
  });
  t.strictSame(conditionOf("DELETE FROM users WHERE name LIKE 'a_b'").condition, {
    op: 'attribute',
    columnId: 1,
    tests: [{ kind: 'text', match: 'like', texts: ['a_b'], negated: false }],
  });
  const many = Array.from({ length: 500 }, (_, index) => index * 2).join();
  t.match(conditionOf(`DELETE FROM users WHERE age IN (${many})`).condition, { op: 'attribute' });
});

t.test('without WHERE a write applies to all entities visible to the caller', async (t) => {
  t.strictSame(conditionOf('DELETE FROM users').condition, ALWAYS);
  t.strictSame(conditionOf('DELETE FROM users WHERE 1 = 0').condition, NEVER);
  const row = attribute('age', range(1n, 1n));
  const access = {
    fingerprint: '',
    allows: () => true,
    checkColumn: () => {},
    restrict: (() => row) as never,
    segment: () => row as never,
  };
  t.strictSame(conditionOf('DELETE FROM users', access).condition, row);
});

t.test('a WHERE that a condition cannot express is read first, and a wrong one is refused', async (t) => {
  for (const where of [
    'age > salary',
    'LENGTH(name) > 3',
    'active OR LENGTH(name) > 3',
    "name < 'b'",
    'score > 1',
    "NOT (active AND DATEPART('dd', seen) = 3)",
    "NOT (name ~ 'x' OR 1 = 1)",
  ]) {
    t.equal(targetOf(`DELETE FROM users WHERE ${where}`), null, where);
  }
  t.match(
    refusalOf(() => targetOf('DELETE FROM users WHERE nmae = 1')),
    { suggestion: 'name' },
  );
  t.match(
    refusalOf(() => targetOf('DELETE FROM users WHERE COUNT(*) > 1')),
    { code: 6000 },
  );
  t.match(
    refusalOf(() => targetOf('DELETE FROM nothing')),
    { message: 'there is no table "nothing"' },
  );
  const checkColumn = (): never => {
    throw new QuarryError(506);
  };
  const access = {
    fingerprint: '',
    allows: () => false,
    checkColumn,
    restrict: <C>(_: unknown, condition: C): C => condition,
    segment: () => NEVER,
  };
  t.throws(() => targetOf('DELETE FROM users WHERE name = 1', access), { code: 506 });
});
