/** Parses names of tables: t, public.t and database.public.t. */
import { quoted } from '../base/index.js';
import { sqlError } from './sql-error.js';
import type { TokenReader } from './token-reader.js';
import type { Token } from './tokens.js';
import type { TableName } from './tree.js';

/** The only schema. */
const SCHEMA = 'public';

type Path = Omit<TableName, 'alias'>;

/** Parses the name whose first part is `first`, which was consumed. Throws 6000. */
export function tablePath(first: Token, reader: TokenReader): Path {
  const parts = [first];
  while (first.ofSchema !== true && parts.length < 3 && reader.acceptSign('.'))
    parts.push(reader.expectName("a table's name"));
  return pathOf(parts);
}

/** Resolves a path of one to three parts (database, schema, table) to its table. */
export function pathOf(parts: readonly Token[]): Path {
  const [last] = parts.slice(-1);
  const schema = parts.at(-2);
  const { text: name, position } = last;
  if (schema === undefined)
    return last.ofSchema === true ? { name, position, database: null } : { name, position };
  if (schema.text.toLowerCase() !== SCHEMA) {
    throw sqlError(
      `${quoted(schema.text)} is not the schema of the tables, which is "public"`,
      schema.position,
    );
  }
  return { name, position, database: parts.length === 3 ? parts[0].text : null };
}
