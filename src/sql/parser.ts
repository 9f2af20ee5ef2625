/** The parser of statements, node-sql-parser in its dialect for T-SQL, and the reading of what it answers. */
import nodeSqlParser from 'node-sql-parser/build/transactsql.js';

export type Answered =
  | { readonly statement: unknown }
  /** Where in the text it could not go on; null when it failed without saying where. */
  | { readonly failedAt: number | null };

/** Parses one statement; whatever the parser throws becomes `failedAt`. */
export function parseStatement(text: string): Answered {
  try {
    return { statement: new nodeSqlParser.Parser().astify(text, { database: 'transactsql' }) };
  } catch (error) {
    const offset = fieldOf(fieldOf(fieldOf(error, 'location'), 'start'), 'offset');
    return { failedAt: typeof offset === 'number' ? offset : null };
  }
}

/** The value under `key` of whatever it is; null where there is none. */
export function fieldOf(node: unknown, key: string): unknown {
  if (typeof node !== 'object' || node === null) return null;
  return (node as Readonly<Record<string, unknown>>)[key] ?? null;
}

/** Null, or lists and objects with nothing but such things in them: how the parser writes what is not there. */
function isNothing(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === 'object' && Object.values(value).every(isNothing);
}

/** Keys of `node`, other than the known ones, that say something. */
export function unknownFields(node: unknown, known: readonly string[]): readonly string[] {
  if (typeof node !== 'object' || node === null) return ['node'];
  return Object.entries(node)
    .filter(([key, value]) => !known.includes(key) && !isNothing(value))
    .map(([key]) => key);
}
