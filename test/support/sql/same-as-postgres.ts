/** Compares values of SQL expressions with those of PostgreSQL. */
import type { PostgresValues } from './postgres-values.js';
import { valueOfSql } from './sql-value.js';

/**
 * The first expressions whose values differ, with both values; empty = none. An expression that PostgreSQL refuses must be refused
 * and the other way round. Pairs are [our SQL, PostgreSQL's SQL].
 */
export async function differences(
  postgres: PostgresValues,
  expressions: readonly (string | readonly [string, string])[],
): Promise<string[]> {
  const found: string[] = [];
  for (const each of expressions) {
    const [ours, theirs] = typeof each === 'string' ? [each, each] : each;
    const [value, expected] = [valueOfSql(ours), await postgres.valueOf(theirs)];
    if (written(value) !== written(expected))
      found.push(`${ours}: ${shown(value)}, PostgreSQL: ${shown(expected)}`);
    if (found.length === 20) break;
  }
  return found;
}

const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

const written = (value: unknown): string =>
  typeof value === 'object' && value !== null ? 'refused' : value === null ? 'NULL' : `= ${String(value)}`;
