/** INSERT ... SELECT: the rights of its SELECT, and rows of JSON as literals. */
import t from 'tap';
import { QuarryError } from '../../../src/base/index.js';
import { isRelationPlan } from '../../../src/ir/index.js';
import {
  bindSelected,
  bindSelectedRows,
  type InsertQueryStatement,
  readScript,
  type SqlAccess,
} from '../../../src/sql/index.js';
import { attribute, text } from './plans.js';
import { requestWith } from './statements.js';

function statementOf(sql: string): InsertQueryStatement {
  const script = readScript(sql);
  const [first] = script.statements;
  if (first.is !== 'insert-query') throw new Error('no INSERT ... SELECT');
  return first;
}

t.test('the SELECT sees only the rows of its caller, and refuses other columns', async (t) => {
  const row = attribute('name', text(['a']));
  const access = {
    allows: (_dimension: unknown, { apiName }: { readonly apiName: string }) => apiName !== 'salary',
    checkColumn: (_dimension: unknown, { apiName }: { readonly apiName: string }) => {
      if (apiName === 'salary') throw new QuarryError(506, apiName);
    },
    restrict: () => row,
  } as unknown as SqlAccess;
  const bind = (sql: string) => bindSelected(statementOf(sql), requestWith(access));
  const plan = bind('INSERT INTO cities ([entity-id], people) SELECT name, age FROM users');
  t.notOk(isRelationPlan(plan));
  t.strictSame(isRelationPlan(plan) ? null : plan.condition, row);
  t.strictSame(
    plan.outputs.map(({ name }) => name),
    ['0', '1'],
  );
  for (const select of ['SELECT name, salary FROM users', 'SELECT name, 1 FROM users WHERE salary > 1']) {
    t.throws(() => bind(`INSERT INTO cities ([entity-id], people) ${select}`), { code: 506 }, select);
  }
});

t.test('rows become the members of insert bodies, with the digits of their numbers', async (t) => {
  const statement = statementOf(
    'INSERT INTO users ([entity-id], age, name, tags, active) SELECT 1, 2, 3, 4, 5',
  );
  const lines = [
    '{"0":"a\\"b","1":12345678901234567890,"2":"x, {y}","3":["p","q]"],"4":true}',
    '{"0":"c","1":null,"2":null,"3":null,"4":false}',
  ];
  const [write, ...more] = bindSelectedRows(statement, lines, requestWith());
  t.strictSame(more, []);
  if (write.write !== 'insert') throw new Error('no insert');
  t.equal(write.rowCount, 2);
  const [a, c] = [
    '"a\\"b":{"dimension":"users","age":12345678901234567890,"name":"x, {y}","tags":["p","q]"],"active":true}',
    '"c":{"dimension":"users","age":null,"name":null,"tags":null,"active":false}',
  ];
  t.equal(Buffer.from(write.body(2)).toString(), `{${a},${c}}`);
  t.equal(Buffer.from(write.body(1)).toString(), `{${a}}`);
  t.throws(() => bindSelectedRows(statement, [lines[1], lines[1]], requestWith()), { code: 6000 });
  t.match(bindSelectedRows(statement, [], requestWith()), [{ write: 'insert', rowCount: 0 }]);
});
