/** Columns of pg_catalog under their names in older versions, with which psql 15 and 16 list databases and collations. */
import { characterAt, type PostgresStatement } from '../../sql/index.js';

/** Columns renamed in version 17, by the old name in upper case. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['DATICULOCALE', 'datlocale'],
  ['COLLICULOCALE', 'colllocale'],
]);

/**
 * Replaces the old names of a statement by the new ones, which have the same length, so that positions stay valid.
 * `text` is the query to which the statement's positions refer.
 */
export function withNewerNames({ text: own, tokens }: PostgresStatement, text: string): string {
  const renamed = tokens.filter(({ kind, upper }) => kind === 'word' && RENAMED.has(upper));
  if (renamed.length === 0) return own;
  const characters = Array.from(own);
  const begin = characterAt(text, tokens[0].position);
  for (const { upper, position } of renamed) {
    const newer = RENAMED.get(upper)?.padEnd(upper.length) ?? '';
    characters.splice(characterAt(text, position) - begin, newer.length, ...newer);
  }
  return characters.join('');
}
