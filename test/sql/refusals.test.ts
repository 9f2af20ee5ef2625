import t from 'tap';
import { QuarryError } from '../../src/base/index.js';
import { readScript } from '../../src/sql/index.js';
import { refusalOf } from '../support/sql/sql-tree-text.js';

const EXISTS = 'exists queries are not available through SQL; use POST /v1/query/exists/entity';
const TOTALS =
  'totals over all dimensions are not available through SQL; use POST /v1/query/count/entity/total';
const SAVED = 'saved queries are not available through SQL; use /v1/query/saved';
const GEOLOCATION =
  'this function of geolocations is not available through SQL; use GEO_DISTANCE, GEO_WITHIN_RADIUS, GEO_WITHIN_BOX or GEO_WITHIN_POLYGON';
const GROUPING = 'WITH ROLLUP and WITH CUBE are not available; write GROUP BY ROLLUP (...) or CUBE (...)';
const APPLY = 'APPLY is not available; write JOIN LATERAL (SELECT ...) ON';

const REFUSED: readonly (readonly [string, number, string])[] = [
  // Features that the interface names as unavailable
  ["EXISTS ('a', 'b')", 1, EXISTS],
  ['SELECT COUNT(*) FROM *', 22, TOTALS],
  ['EXEC my_query', 1, SAVED],
  ['CALL my_query()', 1, SAVED],
  ['SELECT a FROM t WHERE geo_radius(p, 1, 2, 3)', 23, GEOLOCATION],
  ['SELECT ST_Distance(a, b) FROM t', 8, GEOLOCATION],
  // Statements
  ...['CREATE INDEX t ON u (a)', 'ALTER INDEX t RENAME TO b', 'DROP INDEX t', 'TRUNCATE TABLE t'].map(
    (text): [string, number, string] => [
      text,
      1,
      `${text.split(' ')[0]} statements are not available through SQL; use /v1/dimension and /v1/column`,
    ],
  ),
  ['MERGE INTO t USING u', 1, 'MERGE is not available; an INSERT of an entity that exists updates it'],
  ['BEGIN', 1, 'transactions are not available; all writes of one body take effect, or none'],
  [
    'GRANT SELECT ON t TO u',
    1,
    'permissions are not granted through SQL; use /v1/key and /v1/permission_groups',
  ],
  ['SHOW TABLES', 1, 'SHOW is not available through SQL'],
  ['COPY t FROM x', 1, 'COPY is not available through SQL; use POST /v1/insert'],
  [
    'SELEKT 1',
    1,
    'found "SELEKT" where a statement begins; it begins with SELECT, EXPLAIN, INSERT, UPDATE or DELETE {"suggestion":"SELECT"}',
  ],
  [
    '[SELECT] 1',
    1,
    'found "[SELECT]" where a statement begins; it begins with SELECT, EXPLAIN, INSERT, UPDATE or DELETE',
  ],
  // Parts of a SELECT
  [
    'SELECT a INTO u FROM t',
    10,
    'SELECT INTO is not available; rows are written with INSERT INTO ... VALUES',
  ],
  ['SELECT a FROM t CROSS APPLY f(x)', 17, APPLY],
  ['SELECT a FROM t OUTER APPLY f(x)', 17, APPLY],
  ['SELECT a FROM t GROUP BY a WITH ROLLUP', 28, GROUPING],
  ['SELECT a FROM t WITH (NOLOCK)', 17, 'hints are not available'],
  ['SELECT a FROM t OPTION (MAXDOP 1)', 17, 'hints are not available'],
  [
    'SELECT a FROM t FOR XML PATH',
    17,
    'FOR XML is not available; the answer is JSON, CSV or Arrow by its Accept header',
  ],
  ['SELECT a FROM t ORDER BY a COLLATE x', 36, 'texts are ordered by their bytes: the only collation is "C"'],
  [
    'WITH d AS (INSERT INTO t ([entity-id]) VALUES (1)) SELECT 1',
    12,
    'a write inside WITH is not available; send it as a statement of its own, in the same body or transaction block',
  ],
  ['SELECT a FROM t PIVOT (SUM(b) FOR c IN (d)) e', 17, 'PIVOT is not available'],
  ['SELECT a FROM t TABLESAMPLE (10)', 17, 'TABLESAMPLE is not available'],
  ["SELECT a FROM t WHERE a REGEXP 'x'", 25, 'REGEXP is not available; use ~ or REGEXP_LIKE'],
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

t.test('a misspelled keyword is suggested', async (t) => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['SELEC a FROM t', 'SELECT'],
    ['UPDAET t SET a = 1', 'UPDATE'],
    ['SELECT a FORM t', 'FROM'],
    ['SELECT a FROM t WHER b = 1', 'WHERE'],
    ['SELECT a FROM t x WHRE b = 1', 'WHERE'],
    ['SELECT a FROM t GRUP BY a', 'GROUP'],
    ['SELECT a FROM t WHERE b ODER BY a', 'ORDER'],
    ['SELECT a, SUM(b) OVER () FROM t WHER b = 1', 'WHERE'],
    ['SELECT a FROM (SELECT a FROM t WEHRE b = 1) x', 'WHERE'],
    ['SELECT a FROM t LIMTI 5', 'LIMIT'],
    ['SELECT a FROM t people 5', undefined],
  ];
  for (const [text, expected] of cases) {
    let more: unknown = null;
    try {
      readScript(text);
    } catch (error) {
      if (error instanceof QuarryError) more = error.moreInfo;
    }
    t.equal((more as Readonly<Record<string, unknown>> | null)?.suggestion, expected, text);
  }
});
