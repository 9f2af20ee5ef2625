/** Columns of pg_catalog that older clients know by other names: psql 15 and 16 list databases and collations by them. */
import { characterAt, type PostgresStatement } from '../sql/index.js';

/** Renamed in version 17; by the older name in capitals. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['DATICULOCALE', 'datlocale'],
  ['COLLICULOCALE', 'colllocale'],
]);

/**
 * The statement with the names that the catalog has, each as long as the one that it replaces, so that places stay.
 * `text`: what the statement's places count in.
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
