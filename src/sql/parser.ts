/** The statement parser (node-sql-parser with its T-SQL dialect) and access to its result. */
import nodeSqlParser from 'node-sql-parser/build/transactsql.js';
import { invariant } from '../base/index.js';

export type Answered =
  | { readonly statement: unknown }
  /** The offset at which parsing failed; null if the parser did not report it. */
  | { readonly failedAt: number | null };

/** A skeleton of PARSER_TOKENS_MAX tokens is shorter. The parser takes minutes for a token of some megabytes. */
const TEXT_UNITS_MAX = 20_000;

/** Parses one statement of at most TEXT_UNITS_MAX UTF-16 units; any error of the parser becomes `failedAt`. */
export function parseStatement(text: string): Answered {
  invariant(text.length <= TEXT_UNITS_MAX, 'the statement parser gets short texts');
  try {
    return { statement: new nodeSqlParser.Parser().astify(text, { database: 'transactsql' }) };
  } catch (error) {
    const offset = fieldOf(fieldOf(fieldOf(error, 'location'), 'start'), 'offset');
    return { failedAt: typeof offset === 'number' ? offset : null };
  }
}

/** The property `key` of any value; null if there is none. */
export function fieldOf(node: unknown, key: string): unknown {
  if (typeof node !== 'object' || node === null) return null;
  return (node as Readonly<Record<string, unknown>>)[key] ?? null;
}

/** Whether the value is null, or a list or object of such values, which is how the parser represents absent parts. */
function isNothing(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === 'object' && Object.values(value).every(isNothing);
}

/** The keys of `node` that are not known and not empty. */
export function unknownFields(node: unknown, known: readonly string[]): readonly string[] {
  if (typeof node !== 'object' || node === null) return ['node'];
  return Object.entries(node)
    .filter(([key, value]) => !known.includes(key) && !isNothing(value))
    .map(([key]) => key);
}
