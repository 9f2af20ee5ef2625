/**
 * The 43 questions of ClickBench on a generated table of page views that has the columns which the questions name. Values are
 * skewed as in a real log: few counters, sites and phrases have most of the views, and most rows have no phrase. Values
 * that are empty texts in the original are missing, because Quarry stores no empty texts.
 */
import type { Suite } from '../suite/suite.js';
import { QUESTIONS } from './questions.js';

const ROWS = 1_000_000;

/** Expressions by column; `number(i, salt, n)` is in [1, n], `skewed` prefers the small ones. */
const COLUMNS: Readonly<Record<string, string>> = {
  WatchID: 'CAST(hash(i, 1) >> 2 AS BIGINT)',
  CounterID: 'skewed(i, 2, 5000) + 57',
  EventDate: "DATE '2013-07-01' + CAST(number(i, 3, 31) - 1 AS INTEGER)",
  EventTime:
    "CAST(DATE '2013-07-01' + CAST(number(i, 3, 31) - 1 AS INTEGER) AS TIMESTAMP) + INTERVAL 1 SECOND * CAST(number(i, 4, 86400) - 1 AS INTEGER)",
  ClientIP: 'CAST(hash(user_of(i), 5) >> 32 AS BIGINT) - 2147483648',
  RegionID: 'skewed(user_of(i), 6, 9000)',
  UserID: 'CAST(hash(user_of(i), 7) >> 2 AS BIGINT)',
  URL: "'http://' || site(skewed(i, 8, 2000)) || '/' || path(skewed(i, 9, 20000))",
  Referer:
    "CASE WHEN number(i, 10, 5) = 1 THEN NULL ELSE 'https://www.' || site(skewed(i, 11, 2000)) || '/' || path(skewed(i, 12, 5000)) END",
  Title:
    "'page ' || skewed(i, 9, 20000) || CASE WHEN skewed(i, 8, 2000) % 50 = 3 THEN ' at Google' ELSE '' END",
  IsRefresh: 'number(i, 13, 8) // 8',
  DontCountHits: 'number(i, 14, 20) // 20',
  IsLink: 'number(i, 15, 10) // 10',
  IsDownload: 'number(i, 16, 100) // 100',
  ResolutionWidth: '(skewed(user_of(i), 17, 20) * 97) % 2560',
  WindowClientWidth: 'skewed(i, 18, 1900)',
  WindowClientHeight: 'skewed(i, 19, 1000)',
  SearchEngineID: 'CASE WHEN number(i, 20, 8) = 1 THEN skewed(i, 21, 90) ELSE 0 END',
  SearchPhrase: "CASE WHEN number(i, 20, 8) = 1 THEN 'how to ' || path(skewed(i, 22, 100000)) END",
  AdvEngineID: 'CASE WHEN number(i, 23, 150) = 1 THEN skewed(i, 24, 20) ELSE 0 END',
  TraficSourceID: 'number(i, 25, 10) - 2',
  MobilePhone: 'CASE WHEN number(user_of(i), 26, 20) = 1 THEN skewed(i, 27, 80) ELSE 0 END',
  MobilePhoneModel: "CASE WHEN number(user_of(i), 26, 20) = 1 THEN 'model ' || skewed(i, 28, 160) END",
  RefererHash: 'CAST(hash(skewed(i, 11, 2000), 29) >> 2 AS BIGINT)',
  URLHash: 'CAST(hash(skewed(i, 8, 2000), 30) >> 2 AS BIGINT)',
};

function tables(scale: number): readonly string[] {
  const rowCount = Math.round(ROWS * scale);
  return [
    'CREATE MACRO number(key, salt, n) AS CAST(1 + hash(key, salt) % n AS INTEGER)',
    `CREATE MACRO skewed(key, salt, n) AS
      CAST(1 + floor(n * power((hash(key, salt) % 1000000) / 1000000.0, 4)) AS INTEGER)`,
    `CREATE MACRO user_of(i) AS skewed(i, 0, ${Math.max(1, Math.floor(rowCount / 5))})`,
    `CREATE MACRO site(n) AS
      CASE WHEN n % 50 = 3 THEN 'google' ELSE 'site' || n END || CASE n % 3 WHEN 0 THEN '.ru' WHEN 1 THEN '.com' ELSE '.org' END`,
    "CREATE MACRO path(n) AS 'section' || n % 97 || '/article-' || n",
    `CREATE TABLE hits AS
      SELECT i AS row_number, ${Object.entries(COLUMNS)
        .map(([name, expression]) => `${expression} AS ${name}`)
        .join(', ')}
      FROM range(${rowCount}) AS r(i)`,
  ];
}

export const CLICKBENCH: Suite = {
  tables,
  ids: { hits: 'row_number' },
  queries: QUESTIONS,
  // In Quarry, * begins with the entity ID and ends with the score.
  duckSql: (sql) => sql.replace('SELECT *', 'SELECT row_number, *, 1'),
};
