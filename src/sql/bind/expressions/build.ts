/** Builds nodes of bound expressions, also those that only the binder makes. */
import { type Constant, constantOf, type Expression, TEXT } from '../../../ir/index.js';
import type { SqlType } from '../../../vector/index.js';

export { callOf, caseOf, castOf, compareOf, constantOf, integerOf, junctionOf } from '../../../ir/index.js';

export const DATE: SqlType = { type: 'date' };
export const DATETIME: SqlType = { type: 'datetime' };
/** The time that the clocks of a zone show. */
export const LOCAL_TIME: SqlType = { type: 'datetime', local: true };

export const JSON_TYPE: SqlType = { type: 'json' };
export const INTERVAL: SqlType = { type: 'interval' };

/** The literal NULL; it takes the type of the other operand. */
export const NULL = constantOf(TEXT, null);

export const isNull = (expression: Expression): boolean =>
  expression.op === 'constant' && expression.value === null;

export const isTextConstant = (expression: Expression): expression is Constant & { readonly value: string } =>
  expression.op === 'constant' && expression.type.type === 'text' && expression.value !== null;
