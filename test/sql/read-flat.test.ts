/** The two readers of flat SELECTs return equal trees, and accept the same texts. */
import fs from 'node:fs';
import t from 'tap';
import { Prng, QuarryError } from '../../src/base/index.js';
import { Cursor } from '../../src/sql/cursor.js';
import { isFlat } from '../../src/sql/query/routing.js';
import { readFlat } from '../../src/sql/read-flat.js';
import { readSelect } from '../../src/sql/read-select.js';
import { refusePhrases } from '../../src/sql/refusals.js';
import { nextToken, statementTokens, type Token } from '../../src/sql/tokens.js';
import { SqlGenerator } from '../support/sql/generated-sql.js';
import { SqlPrinter } from '../support/sql/printed-sql.js';
import { mutated } from '../support/sql/sql-mutants.js';

const SEED = Number(process.env.QUARRY_TEST_SEED ?? Date.now() % 1_000_000);
const ROUNDS = Number(process.env.QUARRY_TEST_ROUNDS ?? 1_500);
t.comment(`seed ${SEED}, ${ROUNDS} rounds`);

/** The tokens of each flat SELECT of a text, up to the first that has no tokens. */
function* flatStatements(text: string): Generator<readonly Token[]> {
  const cursor = new Cursor(text);
  try {
    for (let first = nextToken(cursor); first.kind !== 'end'; first = nextToken(cursor)) {
      const tokens = statementTokens(cursor, first, { tokens: 100_000 });
      if (!['SELECT', 'EXPLAIN'].includes(first.upper)) continue;
      refusePhrases(tokens);
      if (tokens.length < 1_000 && isFlat(tokens)) yield tokens;
    }
  } catch (error) {
    if (!(error instanceof QuarryError)) throw error;
  }
}

function selectOf(tokens: readonly Token[]): string | null {
  try {
    return JSON.stringify(readSelect(tokens));
  } catch (error) {
    if (error instanceof QuarryError) return null;
    throw error;
  }
}

/** How the readers differ; null = they do not. Where only read-flat.ts refuses, the other one reads the statement. */
function difference(tokens: readonly Token[], counts: { same: number; refused: number }): string | null {
  const flat = readFlat(tokens);
  const select = selectOf(tokens);
  if (flat === null) {
    counts.refused++;
    return null;
  }
  if (select === null) return 'only read-flat accepts it';
  if (JSON.stringify(flat) !== select) return `${JSON.stringify(flat)} is not ${select}`;
  counts.same++;
  return null;
}

t.test('generated SELECTs, and those with changed words, are read alike', async (t) => {
  const counts = { same: 0, refused: 0 };
  const wrong: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const random = new Prng(SEED + round);
    const printer = new SqlPrinter(random);
    printer.script(new SqlGenerator(random).script());
    for (const text of [printer.text, mutated(random, printer.text)]) {
      for (const tokens of flatStatements(text)) {
        const found = difference(tokens, counts);
        if (found !== null) wrong.push(`seed ${SEED + round}: ${text}: ${found}`);
      }
    }
  }
  t.strictSame(wrong.slice(0, 5), []);
  t.comment(`${counts.same} equal trees, ${counts.refused} refused by read-flat`);
  t.ok(counts.same > ROUNDS, `${counts.same} equal trees`);
});

t.test('words that begin a join or a row limit are names where nothing else can stand', async (t) => {
  const readings = (text: string): readonly boolean[] => {
    const [tokens] = flatStatements(text);
    return [readFlat(tokens) !== null, selectOf(tokens) !== null];
  };
  for (const text of [
    'SELECT offset - 1 FROM t OFFSET 0',
    'SELECT a, offset -1 FROM t',
    'SELECT a fetch FROM t fetch OFFSET 0',
    'SELECT fetch first, left.a FROM left l LEFT JOIN [left] r ON l.[entity-id] = r.b',
    'SELECT left.a FROM left l WHERE left(a, 1) = offset ORDER BY offset - 1 LIMIT 1',
  ]) {
    t.strictSame(readings(text), [true, true], text);
  }
  for (const text of [
    'SELECT a FROM left JOIN b ON c = 1',
    'SELECT a FROM left OUTER JOIN b ON c <= fetch',
    'SELECT a FROM left outer',
    'SELECT a FROM t LIMIT',
    'SELECT LIMIT 1',
  ]) {
    t.strictSame(readings(text), [false, false], text);
  }
});

t.test('the statements of tools are read alike', async (t) => {
  const counts = { same: 0, refused: 0 };
  const folder = new URL('../../../test/pg/tools/statements/', import.meta.url);
  for (const name of fs.readdirSync(folder)) {
    const text = fs.readFileSync(new URL(name, folder), 'utf8');
    for (const statement of text.split(/;\s*\n/)) {
      for (const tokens of flatStatements(statement)) t.equal(difference(tokens, counts), null, statement);
    }
  }
  t.ok(counts.same > 30, `${counts.same} equal trees`);
});
