/** Bound expressions as short texts that contain everything, including types, for comparison in tests. */
import type { Constant, Expression } from '../../src/ir/index.js';
import type { SqlType } from '../../src/vector/index.js';

const typeText = (type: SqlType): string => (type.type === 'decimal' ? `decimal(${type.scale})` : type.type);

const valueText = (value: Constant['value']): string =>
  typeof value === 'string' ? JSON.stringify(value) : typeof value === 'bigint' ? `${value}` : String(value);

/**
 * `(op operands...):type`; constants as value:type (exact ones in stored form), inputs as #number:type, conditions
 * without their type if it is boolean.
 */
export function expressionText(expression: Expression): string {
  const ended = expression.type.type === 'boolean' ? '' : `:${typeText(expression.type)}`;
  return `${withoutType(expression)}${ended}`;
}

function withoutType(expression: Expression): string {
  const list = (word: string, members: readonly Expression[]): string =>
    `(${[word, ...members.map(expressionText)].join(' ')})`;
  switch (expression.op) {
    case 'constant':
      return valueText(expression.value);
    case 'input':
      return `#${expression.input}`;
    case 'and':
    case 'or':
    case 'coalesce':
      return list(expression.op, expression.members);
    case 'not':
      return list('not', [expression.member]);
    case 'is-null':
      return list(expression.negated ? 'is-not-null' : 'is-null', [expression.of]);
    case 'compare':
      return list(expression.comparison, [expression.left, expression.right]);
    case 'in': {
      const values = `[${expression.values.map(valueText).join(' ')}]`;
      return `(${expression.negated ? 'not-in' : 'in'} ${expressionText(expression.of)} ${values})`;
    }
    case 'like': {
      const mark = expression.escape === null ? '' : ` escape ${JSON.stringify(expression.escape)}`;
      const word = expression.negated ? 'not-like' : 'like';
      return `(${word} ${expressionText(expression.of)} ${JSON.stringify(expression.pattern)}${mark})`;
    }
    case 'case': {
      const branches = expression.branches.map(
        ({ when, then }) => `${expressionText(when)} -> ${expressionText(then)}`,
      );
      const last = expression.otherwise === null ? [] : [`else ${expressionText(expression.otherwise)}`];
      return `(case ${[...branches, ...last].join(', ')})`;
    }
    case 'null-if':
      return list('null-if', [expression.of, expression.equals]);
    case 'arithmetic':
      return list(expression.operator, [expression.left, expression.right]);
    case 'cast':
      return list(expression.lenient ? 'try-cast' : 'cast', [expression.of]);
    case 'call':
      return list(
        expression.unit === null ? expression.name : `${expression.name} ${expression.unit}`,
        expression.args,
      );
  }
}
