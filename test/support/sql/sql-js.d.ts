/** The part of sql.js (SQLite) that tests use; the package comes without types. */
declare module 'sql.js' {
  type Value = number | bigint | string | Uint8Array | null;

  interface Database {
    run(sql: string, parameters?: readonly (number | bigint | string | null)[]): Database;
    exec(
      sql: string,
      parameters?: undefined,
      config?: { readonly useBigInt: boolean },
    ): { readonly columns: string[]; readonly values: Value[][] }[];
    close(): void;
  }

  export default function initSqlJs(): Promise<{ readonly Database: new () => Database }>;
  export type { Database, Value };
}
