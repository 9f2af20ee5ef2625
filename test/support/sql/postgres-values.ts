/** The values of SQL expressions in PostgreSQL itself, which runs in WebAssembly: the oracle of functions that follow PostgreSQL. */
import fs from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';

/** The packed data directory that the build makes. */
const TEMPLATE = new URL('../../../postgres-template.tar.gz', import.meta.url);

export interface PostgresValues {
  /** The value of an expression as text; null = NULL; { refused } with the message if it raises an error. */
  valueOf(expression: string): Promise<string | null | { readonly refused: string }>;
  close(): Promise<void>;
}

export async function openPostgresValues(): Promise<PostgresValues> {
  const database = await PGlite.create({ loadDataDir: new Blob([gunzipSync(fs.readFileSync(TEMPLATE))]) });
  await database.exec("SET standard_conforming_strings = on; SET TimeZone = 'UTC'");
  return {
    valueOf: async (expression) => {
      try {
        const { rows } = await database.query<{ value: string | null }>(
          `SELECT (${expression})::text AS value`,
        );
        return rows[0].value;
      } catch (error) {
        return { refused: error instanceof Error ? error.message : String(error) };
      }
    },
    close: () => database.close(),
  };
}
