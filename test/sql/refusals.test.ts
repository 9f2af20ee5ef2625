import t from 'tap';
import { readScript } from '../../src/sql/index.js';
import { refusalOf } from '../support/sql/sql-tree-text.js';

const EXISTS = 'exists queries are not available through SQL; use POST /v1/query/exists/entity';
const TOTALS =
  'totals over all dimensions are not available through SQL; use POST /v1/query/count/entity/total';
const SAVED = 'saved queries are not available through SQL; use /v1/query/saved';
const GEOLOCATION =
  'geolocation is not available through SQL; use the geo conditions of POST /v1/query/count/entity and its like';
const SUBSELECT = 'a SELECT inside a statement is not available';
const WINDOWS = 'window functions are not available';
const GROUPING = 'groups of several depths are not available; group by one list of columns';
const joins = (kind: string): string =>
  `${kind} is not available; tables are joined with JOIN ... ON and LEFT JOIN ... ON`;
const sets = (kind: string): string =>
  `${kind} is not available; send the SELECTs as statements of their own`;

const REFUSED: readonly (readonly [string, number, string])[] = [
  // Features that the interface names as unavailable
  ['SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u)', 23, EXISTS],
  ['SELECT a FROM t WHERE not exists(select 1)', 27, EXISTS],
  ["EXISTS ('a', 'b')", 1, EXISTS],
  ['SELECT COUNT(*) FROM *', 22, TOTALS],
  ['SELECT COUNT(*) FROM a, b', 23, `tables are joined with JOIN ... ON, not with commas; ${TOTALS}`],
  ['SELECT a FROM b JOIN c ON d, e', 28, `tables are joined with JOIN ... ON, not with commas; ${TOTALS}`],
  ['EXEC my_query', 1, SAVED],
  ['CALL my_query()', 1, SAVED],
  ['CREATE VIEW v AS SELECT 1', 1, SAVED],
  ['SELECT a FROM t WHERE geo_radius(p, 1, 2, 3)', 23, GEOLOCATION],
  ['SELECT ST_Distance(a, b) FROM t', 8, GEOLOCATION],
  // Statements
  ...['CREATE TABLE t (a int)', 'ALTER TABLE t ADD b int', 'DROP TABLE t', 'TRUNCATE TABLE t'].map(
    (text): [string, number, string] => [
      text,
      1,
      `${text.split(' ')[0]} statements are not available through SQL; use /v1/dimension and /v1/column`,
    ],
  ),
  ['WITH x AS (SELECT 1) SELECT 2', 1, 'WITH is not available; send the SELECTs as statements of their own'],
  ['MERGE INTO t USING u', 1, 'MERGE is not available; an INSERT of an entity that exists updates it'],
  ['BEGIN', 1, 'transactions are not available; all writes of one body take effect, or none'],
  [
    'GRANT SELECT ON t TO u',
    1,
    'permissions are not granted through SQL; use /v1/key and /v1/permission_groups',
  ],
  ['SHOW TABLES', 1, 'SHOW is not available through SQL'],
  ['COPY t FROM x', 1, 'COPY is not available through SQL; use POST /v1/insert'],
  ['VALUES (1)', 1, 'VALUES is allowed only after INSERT INTO'],
  [
    '(SELECT 1)',
    1,
    'found "(" where a statement begins; it begins with SELECT, EXPLAIN, INSERT, UPDATE or DELETE',
  ],
  [
    'SELEKT 1',
    1,
    'found "SELEKT" where a statement begins; it begins with SELECT, EXPLAIN, INSERT, UPDATE or DELETE',
  ],
  [
    '[SELECT] 1',
    1,
    'found "[SELECT]" where a statement begins; it begins with SELECT, EXPLAIN, INSERT, UPDATE or DELETE',
  ],
  // Parts of a SELECT
  ['SELECT 1 UNION ALL SELECT 2', 10, sets('UNION')],
  ['SELECT 1 INTERSECT SELECT 2', 10, sets('INTERSECT')],
  ['SELECT 1 EXCEPT SELECT 2', 10, sets('EXCEPT')],
  ['SELECT a FROM (SELECT 1) b', 15, SUBSELECT],
  ['SELECT (SELECT 1)', 8, SUBSELECT],
  ['SELECT a FROM t WHERE a IN (SELECT 1)', 28, SUBSELECT],
  [
    'SELECT a INTO u FROM t',
    10,
    'SELECT INTO is not available; rows are written with INSERT INTO ... VALUES',
  ],
  ['SELECT ALL a FROM t', 1, 'SELECT ALL is not available; write SELECT'],
  ['SELECT DISTINCT ON (a) b FROM t', 8, 'DISTINCT ON is not available; write GROUP BY'],
  ['SELECT a FROM t RIGHT JOIN u ON b', 17, joins('RIGHT JOIN')],
  ['SELECT a FROM t RIGHT OUTER JOIN u ON b', 17, joins('RIGHT JOIN')],
  ['SELECT a FROM t FULL JOIN u ON b', 17, joins('FULL JOIN')],
  ['SELECT a FROM t full outer join u ON b', 17, joins('FULL JOIN')],
  ['SELECT a FROM t CROSS JOIN u', 17, joins('CROSS JOIN')],
  ['SELECT a FROM t CROSS APPLY f(x)', 17, joins('APPLY')],
  ['SELECT a FROM t OUTER APPLY f(x)', 17, joins('APPLY')],
  ['SELECT a FROM t NATURAL JOIN u', 17, joins('NATURAL JOIN')],
  ['SELECT a FROM t JOIN u USING (b)', 24, joins('JOIN ... USING')],
  ['SELECT SUM(a) OVER (PARTITION BY b) FROM t', 15, WINDOWS],
  ['SELECT a FROM t QUALIFY b = 1', 17, WINDOWS],
  [
    'SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a) FROM t',
    29,
    'WITHIN GROUP is not available; write PERCENTILE(column, 0.5) or MEDIAN(column)',
  ],
  [
    'SELECT COUNT(*) FILTER (WHERE a) FROM t',
    17,
    'FILTER is not available; write the aggregate over CASE WHEN ... END',
  ],
  ['SELECT a FROM t GROUP BY ROLLUP (a)', 26, GROUPING],
  ['SELECT a FROM t GROUP BY CUBE(a)', 26, GROUPING],
  ['SELECT a FROM t GROUP BY GROUPING SETS ((a))', 26, GROUPING],
  ['SELECT a FROM t GROUP BY a WITH ROLLUP', 28, GROUPING],
  ['SELECT TOP 5 WITH TIES a FROM t', 14, 'WITH TIES is not available'],
  ['SELECT a FROM t WITH (NOLOCK)', 17, 'hints are not available'],
  ['SELECT a FROM t OPTION (MAXDOP 1)', 17, 'hints are not available'],
  [
    'SELECT a FROM t FOR XML PATH',
    17,
    'FOR XML is not available; the answer is JSON, CSV or Arrow by its Accept header',
  ],
  [
    'SELECT a FROM t ORDER BY a COLLATE x',
    28,
    'COLLATE is not available; texts are compared without regard to case and ordered by their bytes',
  ],
  ['SELECT a FROM t PIVOT (SUM(b) FOR c IN (d)) e', 17, 'PIVOT is not available'],
  ['SELECT a FROM t TABLESAMPLE (10)', 17, 'TABLESAMPLE is not available'],
  ['SELECT a FROM t ORDER BY a NULLS FIRST', 28, 'NULLS FIRST is not available; missing values come last'],
  ["SELECT a FROM t WHERE a ILIKE 'x'", 25, 'ILIKE is not available; LIKE compares without regard to case'],
  ["SELECT a FROM t WHERE a SIMILAR TO 'x'", 25, 'SIMILAR TO is not available; use LIKE'],
  ["SELECT a FROM t WHERE a REGEXP 'x'", 25, 'regular expressions are not available; use LIKE'],
  ['SELECT a FROM t WHERE a = ANY (b)', 27, 'ANY is not available; use IN'],
  ["SELECT a AT TIME ZONE 'UTC' FROM t", 10, 'AT TIME ZONE is not available; dates without a zone are UTC'],
  ['UPDATE t SET a = (SELECT 1)', 18, SUBSELECT],
];

t.test('an unavailable feature is refused with a message of its own and its position', async (t) => {
  for (const [text, column, message] of REFUSED) {
    t.equal(
      refusalOf(() => readScript(text)),
      `1:${column} ${message}`,
      text,
    );
  }
});

t.test('in brackets, in quotes and after a dot these words are names', async (t) => {
  const text =
    'SELECT [union], a.qualify, "into", \'collate\', exists FROM [lateral] AS [with] WHERE [regexp] = 1';
  t.doesNotThrow(() => readScript(text));
});
