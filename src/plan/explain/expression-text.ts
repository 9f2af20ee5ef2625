/** Expressions as text that resembles SQL, for EXPLAIN. */
import type { Constant, Expression } from '../../ir/index.js';
import { formatDate, formatDateTime, formatDecimal, formatInterval } from '../../schema/index.js';
import type { SqlType } from '../../vector/index.js';

/** Most constants of an IN that are printed. */
const VALUES_MAX = 5;

/** `nameOf` returns the name of an input. */
export function expressionText(expression: Expression, nameOf: (input: number) => string): string {
  const text = (of: Expression): string => expressionText(of, nameOf);
  const not = 'negated' in expression && expression.negated ? 'NOT ' : '';
  switch (expression.op) {
    case 'constant':
      return valueText(expression.type, expression.value);
    case 'input':
      return nameOf(expression.input);
    case 'and':
    case 'or':
      return `(${expression.members.map(text).join(` ${expression.op.toUpperCase()} `)})`;
    case 'not':
      return `NOT ${text(expression.member)}`;
    case 'is-null':
      return `${text(expression.of)} IS ${not}NULL`;
    case 'compare':
      return `${text(expression.left)} ${expression.comparison} ${text(expression.right)}`;
    case 'in': {
      const { values, of } = expression;
      const shown = values.slice(0, VALUES_MAX).map((value) => valueText(of.type, value));
      const rest = values.length > VALUES_MAX ? [`${values.length - VALUES_MAX} more`] : [];
      return `${text(of)} ${not}IN (${[...shown, ...rest].join(', ')})`;
    }
    case 'like':
      return `${text(expression.of)} ${not}LIKE ${valueText({ type: 'text' }, expression.pattern)}`;
    case 'case': {
      const branches = expression.branches.map(({ when, then }) => `WHEN ${text(when)} THEN ${text(then)} `);
      return `CASE ${branches.join('')}ELSE ${expression.otherwise === null ? 'NULL' : text(expression.otherwise)} END`;
    }
    case 'coalesce':
      return `COALESCE(${expression.members.map(text).join(', ')})`;
    case 'null-if':
      return `NULLIF(${text(expression.of)}, ${text(expression.equals)})`;
    case 'arithmetic':
      return `(${text(expression.left)} ${expression.operator} ${text(expression.right)})`;
    case 'cast':
      return `CAST(${text(expression.of)} AS ${typeText(expression.type)})`;
    case 'call': {
      const unit = expression.unit === null ? [] : [expression.unit];
      return `${expression.name}(${[...unit, ...expression.args.map(text)].join(', ')})`;
    }
  }
}

export const typeText = (type: SqlType): string =>
  type.type === 'decimal' ? `decimal(${type.scale})` : type.type;

function valueText(type: SqlType, value: Constant['value']): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (typeof value !== 'bigint') return String(value).toUpperCase();
  switch (type.type) {
    case 'date':
      return `'${formatDate(Number(value))}'`;
    case 'datetime':
      return `'${formatDateTime(Number(value))}'`;
    case 'interval':
      return `INTERVAL '${formatInterval(value)}'`;
    case 'decimal':
      return formatDecimal(value, type.scale);
    default:
      return String(value);
  }
}
