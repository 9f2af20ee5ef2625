import t from 'tap';
import { QuarryError } from '../../../src/base/index.js';
import { bindScalar } from '../../../src/sql/bind/expressions/scalar.js';
import { EXPRESSION_DEPTH_MAX } from '../../../src/sql/bind/measure.js';
import type { SqlNode } from '../../../src/sql/tree.js';
import { expressionErrors } from '../../support/expression-check.js';
import { expressionText } from '../../support/expression-text.js';
import {
  arithmetic,
  between,
  call,
  cast,
  choice,
  column,
  compare,
  either,
  negative,
  not,
  number,
  oneOf,
  TEST_TYPES,
  testScope,
  truth,
} from '../../support/sql/sql-nodes.js';

const [age, active] = ['age', 'active'].map(column);

function messageOf(bind: () => unknown): string {
  try {
    bind();
  } catch (error) {
    if (error instanceof QuarryError && error.code === 6000) return error.message;
    throw error;
  }
  return 'nothing was refused';
}

t.test('ten thousand conditions become one ordered list, nested on either side', async (t) => {
  const members = Array.from({ length: 10_000 }, (_, index) => compare(age, '=', number(String(index))));
  const expected = `(or ${members.map((_, index) => `(= #0:integer ${index}:integer)`).join(' ')})`;
  const leftward = members.slice(1).reduce((left, right) => either(left, right), members[0]);
  const rightward = members.slice(0, -1).reduceRight((right, left) => either(left, right), members[9_999]);
  t.ok(expressionText(bindScalar(leftward, testScope)) === expected);
  t.ok(expressionText(bindScalar(rightward, testScope)) === expected);
});

t.test('one IN may have fifty thousand values', async (t) => {
  const values = Array.from({ length: 50_000 }, (_, index) => number(String(index)));
  const bound = bindScalar(oneOf(age, values), testScope);
  t.ok(bound.op === 'in' && bound.values.length === 50_000);
});

t.test('nesting up to the limit is bound, deeper nesting is refused', async (t) => {
  const forms: readonly ((node: SqlNode) => SqlNode)[] = [
    (node) => arithmetic(node, '+', number('1')),
    (node) => negative(node),
    (node) => call('abs', node),
    (node) => choice(null, [[active, node]], age),
    (node) => cast(cast(node, 'text'), 'int'),
  ];
  for (const form of forms) {
    const nested = (depth: number): SqlNode => {
      let node = age;
      for (let level = 1; level < depth; level++) node = form(node);
      return node;
    };
    const factor = form(age).is === 'cast' ? 2 : 1;
    const fits = Math.floor((EXPRESSION_DEPTH_MAX - 1) / factor) + 1;
    t.strictSame(expressionErrors(bindScalar(nested(fits), testScope), TEST_TYPES), []);
    const refused = 'the expression nests deeper than 1000 levels';
    t.equal(
      messageOf(() => bindScalar(nested(fits + 1), testScope)),
      refused,
    );
    t.equal(
      messageOf(() => bindScalar(nested(20_000), testScope)),
      refused,
    );
  }
});

t.test('an operand that is repeated recursively is refused', async (t) => {
  const forms: readonly ((node: SqlNode) => SqlNode)[] = [
    (node) => between(node, truth(false), truth(true)),
    (node) =>
      choice(node, [
        [truth(true), truth(false)],
        [active, truth(true)],
      ]),
    (node) => oneOf(node, [active, not(active)]),
    (node) => call('nullif', node, truth(true)),
  ];
  for (const form of forms) {
    let node = active;
    for (let level = 0; level < 60; level++) node = form(node);
    t.equal(
      messageOf(() => bindScalar(node, testScope)),
      'the expression has more than 200000 parts',
    );
  }
});
