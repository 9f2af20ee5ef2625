/** The values of SQL expressions without columns: read, bound and evaluated. */
import { QuarryError } from '../../../src/base/index.js';
import { compile, ONE_ROW } from '../../../src/expression/index.js';
import { bindScalar } from '../../../src/sql/bind/expressions/scalar.js';
import { readScript } from '../../../src/sql/index.js';
import { type Value, valueAt } from '../../../src/vector/index.js';
import { testScope } from './sql-nodes.js';

/** The value of the expression, or the message of its refusal. */
export function valueOfSql(expression: string): Value | { readonly refused: string } {
  try {
    const { statements } = readScript(`SELECT ${expression}`);
    const [statement] = statements;
    if (statement.is !== 'select') throw new Error(`${expression} is not an expression`);
    return valueAt(compile(bindScalar(statement.items[0].of, testScope))(ONE_ROW), 0);
  } catch (error) {
    if (error instanceof QuarryError && error.code === 6000) return { refused: error.message };
    throw error;
  }
}

/** A string literal. */
export const quotedSql = (text: string): string => `'${text.replaceAll("'", "''")}'`;
