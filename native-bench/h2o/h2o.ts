/**
 * The ten questions of the group-by benchmark of H2O.ai (db-benchmark) on generated rows with its columns and numbers of
 * different values. Each question is answered with its first ten rows, which all groups decide: the time is that of the
 * groups and not of their transfer.
 */
import type { Suite } from '../suite/suite.js';

/** Different values of the columns with few of them. */
const FEW = 100;

const KEYS = 'id1, id2, id3, id4, id5, id6';
const MOMENTS =
  'COUNT(*) AS n, SUM(v1) AS x, SUM(v2) AS y, SUM(v1 * v1) AS xx, SUM(v2 * v2) AS yy, SUM(v1 * v2) AS xy';

const QUESTIONS: readonly string[] = [
  'SELECT id1, SUM(v1) AS v1 FROM g GROUP BY id1 ORDER BY v1 DESC, id1 LIMIT 10',
  'SELECT id1, id2, SUM(v1) AS v1 FROM g GROUP BY id1, id2 ORDER BY v1 DESC, id1, id2 LIMIT 10',
  'SELECT id3, SUM(v1) AS v1, AVG(v3) AS v3 FROM g GROUP BY id3 ORDER BY v1 DESC, id3 LIMIT 10',
  'SELECT id4, AVG(v1) AS v1, AVG(v2) AS v2, AVG(v3) AS v3 FROM g GROUP BY id4 ORDER BY id4 LIMIT 10',
  'SELECT id6, SUM(v1) AS v1, SUM(v2) AS v2, SUM(v3) AS v3 FROM g GROUP BY id6 ORDER BY v1 DESC, id6 LIMIT 10',
  'SELECT id4, id5, MEDIAN(v3) AS m, STDDEV(v3) AS s FROM g GROUP BY id4, id5 ORDER BY id4, id5 LIMIT 10',
  'SELECT id3, MAX(v1) - MIN(v2) AS r FROM g GROUP BY id3 ORDER BY r DESC, id3 LIMIT 10',
  'SELECT id6, v3 FROM (SELECT id6, v3, ROW_NUMBER() OVER (PARTITION BY id6 ORDER BY v3 DESC) AS place FROM g) AS t WHERE place <= 2 ORDER BY id6, v3 DESC LIMIT 10',
  // The square of the correlation of v1 and v2.
  `SELECT id2, id4, POWER(n * xy - x * y, 2) / ((n * xx - x * x) * (n * yy - y * y)) AS r FROM (SELECT id2, id4, ${MOMENTS} FROM g GROUP BY id2, id4) AS t ORDER BY id2, id4 LIMIT 10`,
  `SELECT ${KEYS}, SUM(v3) AS v3, COUNT(*) AS c FROM g GROUP BY ${KEYS} ORDER BY ${KEYS} LIMIT 10`,
];

const ROWS = 10_000_000;

/** number(row, salt, n) is an integer in [1, n]. */
function tables(scale: number): readonly string[] {
  const rowCount = Math.round(ROWS * scale);
  const many = Math.floor(rowCount / FEW);
  return [
    'CREATE MACRO number(key, salt, n) AS CAST(1 + hash(key, salt) % n AS INTEGER)',
    `CREATE TABLE g AS SELECT
      i AS row_number,
      format('id{:03d}', number(i, 1, ${FEW})) AS id1,
      format('id{:03d}', number(i, 2, ${FEW})) AS id2,
      format('id{:010d}', number(i, 3, ${many})) AS id3,
      number(i, 4, ${FEW}) AS id4,
      number(i, 5, ${FEW}) AS id5,
      number(i, 6, ${many}) AS id6,
      number(i, 7, 5) AS v1,
      number(i, 8, 15) AS v2,
      CAST(number(i, 9, 100000000) / 1000000.0 AS DECIMAL(12, 6)) AS v3
    FROM range(${rowCount}) AS r(i)`,
  ];
}

export const H2O: Suite = {
  tables,
  ids: { g: 'row_number' },
  queries: QUESTIONS,
  duckSql: (sql) => sql,
};
