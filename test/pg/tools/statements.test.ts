/**
 * Statements that tools and drivers write, over tables of our own: each must have the answer of PostgreSQL over the same rows, with
 * the same names of columns. Statements on the system catalogs must be answered; their rows are those of another database. A
 * statement after a comment `-- May be refused: reason` may instead be refused, with an error of the statement, and one after
 * `-- Fails.` must fail with the code of PostgreSQL.
 */
import fs from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import t from 'tap';
import { startPostgres } from '../site.js';
import { loadServer, openOracle } from './world.js';

const STATEMENTS = new URL('../../../../test/pg/tools/statements/', import.meta.url);
const COUNT_MIN = 300;
/** Statements whose rows depend on the database or the version. */
const OF_CATALOG = /\bpg_(?!sleep)|information_schema|version\(|^\s*(show|explain|set)\b/i;
const SQLSTATE = /^(0A|22|42|54)/;

interface Statement {
  readonly text: string;
  readonly line: number;
  readonly mayBeRefused: boolean;
  readonly fails: boolean;
}

/** The statements of a file: each ends with a semicolon at the end of a line and is separated by an empty line. */
function statementsIn(text: string): readonly Statement[] {
  let line = 1;
  return text.split('\n\n').flatMap((paragraph) => {
    const own = line;
    line += paragraph.split('\n').length + 1;
    const mayBeRefused = /^-- May be refused: .+$/m.test(paragraph);
    const fails = /^-- Fails\.$/m.test(paragraph);
    const statement = paragraph.replaceAll(/^--.*$/gm, '').trim();
    return statement === '' ? [] : [{ text: statement, line: own, mayBeRefused, fails }];
  });
}

interface Result {
  readonly names: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

const asText = (value: string): string => value;

async function queryServer(client: pg.Client, text: string): Promise<Result> {
  const { fields, rows } = await client.query<(string | null)[]>({
    text,
    rowMode: 'array',
    types: { getTypeParser: () => asText },
  });
  return { names: fields.map(({ name }) => name), rows };
}

const TYPES = [16, 20, 21, 23, 25, 114, 700, 701, 1042, 1043, 1082, 1114, 1184, 1186, 1700];
const PARSERS = Object.fromEntries(TYPES.map((id) => [id, asText]));

async function queryOracle(database: PGlite, text: string): Promise<Result> {
  const { fields, rows } = await database.query<(string | null)[]>(text, [], {
    rowMode: 'array',
    parsers: PARSERS,
  });
  return { names: fields.map(({ name }) => name), rows };
}

/** Numbers to six decimals, and times in one form: PostgreSQL has timestamps without a zone. */
function shown(value: string | null): string {
  if (value === null) return 'NULL';
  if (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) return String(Number(Number(value).toFixed(6)));
  return value.replace(/^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\+00$/, '$1');
}

/** Rows without an order are compared in the order of their texts. */
function resultText({ names, rows }: Result, isOrdered: boolean): string {
  const lines = rows.map((row) => row.map(shown).join(' | '));
  return [names.join(' | '), ...(isOrdered ? lines : lines.sort())].join('\n');
}

const isOrdered = (text: string): boolean => /\border by\b[^()]*(\([^()]*\)[^()]*)*;$/i.test(text);

/** The SQLSTATE with which a statement fails. */
const codeOf = (query: Promise<Result>): Promise<string> =>
  query.then(
    () => 'an answer',
    (error: { readonly code?: string }) => error.code ?? String(error),
  );

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

t.test('statements of tools', async (t) => {
  const fixture = await startPostgres(t);
  await loadServer(fixture.https);
  const database = await openOracle();
  t.teardown(() => database.close());
  const client = await fixture.connect();
  let count = 0;

  for (const file of fs.readdirSync(STATEMENTS).sort()) {
    t.test(file, async (t) => {
      const differences: string[] = [];
      for (const statement of statementsIn(fs.readFileSync(new URL(file, STATEMENTS), 'utf8'))) {
        count++;
        const difference = await differenceOf(statement);
        if (difference !== null)
          differences.push(`${file}:${statement.line}: ${statement.text}\n${difference}`);
      }
      t.equal(differences.join('\n\n'), '');
    });
  }
  t.test('there are enough of them', async (t) => t.ok(count >= COUNT_MIN, `${count} statements`));

  /** How the answer differs from that of PostgreSQL; null = not at all, or the statement may be refused and is. */
  async function differenceOf({ text, mayBeRefused, fails }: Statement): Promise<string | null> {
    if (fails) {
      const [found, wanted] = [
        await codeOf(queryServer(client, text)),
        await codeOf(queryOracle(database, text)),
      ];
      return found === wanted ? null : `found ${found}\nwanted ${wanted}`;
    }
    let result: Result;
    try {
      result = await queryServer(client, text);
    } catch (error) {
      const isClear = error instanceof pg.DatabaseError && SQLSTATE.test(error.code ?? '');
      return mayBeRefused && isClear ? null : messageOf(error);
    }
    if (OF_CATALOG.test(text)) return null;
    const [found, wanted] = [result, await queryOracle(database, text)].map((each) =>
      resultText(each, isOrdered(text)),
    );
    return found === wanted ? null : `found ${found}\nwanted ${wanted}`;
  }
});
