/** Unsupported SQL that is detected by its tokens before parsing, with an error message for each construct. */
import { suggestion } from './bind/suggest.js';
import { sqlError } from './sql-error.js';
import { isSign, shown, type Token } from './tokens.js';

const EXISTS = 'exists queries are not available through SQL; use POST /v1/query/exists/entity';
const SAVED = 'saved queries are not available through SQL; use /v1/query/saved';
const MODEL = 'are not available through SQL; use /v1/dimension and /v1/column';
export const SUBSELECT = 'a SELECT inside a statement is not available';
const GROUPING = 'WITH ROLLUP and WITH CUBE are not available; write GROUP BY ROLLUP (...) or CUBE (...)';
const JOINS = 'is not available; write JOIN LATERAL (SELECT ...) ON';
const HINTS = 'hints are not available';
export const NO_STAR = '* is allowed only as a column of SELECT and in COUNT(*)';
export const TOTALS =
  'totals over all dimensions are not available through SQL; use POST /v1/query/count/entity/total';
const GEOLOCATION =
  'this function of geolocations is not available through SQL; use GEO_DISTANCE, GEO_WITHIN_RADIUS, GEO_WITHIN_BOX or GEO_WITHIN_POLYGON';

/** Sequences of bare words and signs that are refused anywhere, with the message. */
const PHRASES: readonly (readonly [string, string])[] = [
  ['INTO', 'SELECT INTO is not available; rows are written with INSERT INTO ... VALUES'],
  ['CROSS APPLY', `APPLY ${JOINS}`],
  ['OUTER APPLY', `APPLY ${JOINS}`],
  ['WITH ROLLUP', GROUPING],
  ['WITH CUBE', GROUPING],
  ['WITH (', HINTS],
  ['OPTION (', HINTS],
  ['FOR XML', 'FOR XML is not available; the answer is JSON, CSV or Arrow by its Accept header'],
  ['FOR JSON', 'FOR JSON is not available; the answer is JSON, CSV or Arrow by its Accept header'],
  [
    'FOR UPDATE',
    'FOR UPDATE is not available, because rows are not locked; an UPDATE or DELETE with the whole condition is',
  ],
  ['FOR SHARE', 'FOR SHARE is not available'],
  ['FOR BROWSE', 'FOR BROWSE is not available'],
  ['FOR SYSTEM_TIME', 'FOR SYSTEM_TIME is not available'],
  ['PIVOT (', 'PIVOT is not available'],
  ['UNPIVOT (', 'UNPIVOT is not available'],
  ['TABLESAMPLE', 'TABLESAMPLE is not available'],
  ['RLIKE', 'RLIKE is not available; use ~ or REGEXP_LIKE'],
  ['REGEXP', 'REGEXP is not available; use ~ or REGEXP_LIKE'],
];

interface Phrase {
  readonly rest: readonly string[];
  readonly what: string;
}

const PHRASES_BY_FIRST: ReadonlyMap<string, readonly Phrase[]> = (() => {
  const byFirst = new Map<string, Phrase[]>();
  for (const [text, what] of PHRASES) {
    const [first, ...rest] = text.split(' ');
    byFirst.set(first, [...(byFirst.get(first) ?? []), { rest, what }]);
  }
  return byFirst;
})();

const keywordOrSign = ({ kind, text, upper }: Token): string => (kind === 'sign' ? text : upper);

/** Throws 6000 for the first refused phrase of the statement. */
export function refusePhrases(tokens: readonly Token[]): void {
  for (let at = 0; at < tokens.length; at++) {
    const phrases = PHRASES_BY_FIRST.get(keywordOrSign(tokens[at]));
    if (phrases === undefined || isNameHere(tokens, at) || beginsInsert(tokens, at)) continue;
    for (const { rest, what } of phrases) {
      const follows = rest.every(
        (word, index) => at + 1 + index < tokens.length && keywordOrSign(tokens[at + 1 + index]) === word,
      );
      if (follows) throw sqlError(what, tokens[at].position);
    }
  }
}

/** An INSERT inside WITH is refused as a write. */
const beginsInsert = (tokens: readonly Token[], at: number): boolean =>
  tokens[at].upper === 'INTO' && tokens[at - 1]?.upper === 'INSERT';

/** `jobs.union` and `union.age` are columns. */
function isNameHere(tokens: readonly Token[], at: number): boolean {
  if (tokens[at].kind !== 'word') return false;
  return (at > 0 && isSign(tokens[at - 1], '.')) || isSign(tokens[at + 1], '.');
}

const GEO_FUNCTION =
  /^(GEO_(?!POINT$|DISTANCE$|WITHIN_)|ST_(?!POINT$|MAKEPOINT$|X$|Y$|DISTANCE_?SPHERE$)|GEOGRAPHY$|GEOMETRY$)/;

export function refuseGeolocation(functionName: Token): void {
  if (GEO_FUNCTION.test(functionName.upper)) throw sqlError(GEOLOCATION, functionName.position);
}

const TRANSACTIONS = 'transactions are not available; all writes of one body take effect, or none';
const RIGHTS = 'permissions are not granted through SQL; use /v1/key and /v1/permission_groups';
const SETTINGS = 'is not available through SQL';
const REPLACING = 'is not available; an INSERT of an entity that exists updates it';

/** First words of refused statements. */
const STATEMENTS: ReadonlyMap<string, string> = new Map([
  ...['CREATE', 'ALTER', 'DROP', 'TRUNCATE', 'RENAME', 'COMMENT'].map(
    (word) => [word, `${word} statements ${MODEL}`] as const,
  ),
  ...['EXEC', 'EXECUTE', 'CALL', 'PREPARE'].map((word) => [word, SAVED] as const),
  ...['BEGIN', 'COMMIT', 'ROLLBACK', 'START', 'SAVE', 'SAVEPOINT', 'END'].map(
    (word) => [word, TRANSACTIONS] as const,
  ),
  ...['GRANT', 'REVOKE', 'DENY'].map((word) => [word, RIGHTS] as const),
  ...['SET', 'DECLARE', 'USE', 'SHOW', 'DESCRIBE', 'DESC', 'PRAGMA', 'VACUUM', 'ANALYZE', 'IF', 'GO'].map(
    (word) => [word, `${word} ${SETTINGS}`] as const,
  ),
  ...['MERGE', 'REPLACE', 'UPSERT'].map((word) => [word, `${word} ${REPLACING}`] as const),
  ...['COPY', 'LOAD', 'BULK', 'IMPORT'].map(
    (word) => [word, `${word} ${SETTINGS}; use POST /v1/insert`] as const,
  ),
  ['EXISTS', EXISTS],
]);

const BEGINNINGS: readonly string[] = [
  ...['SELECT', 'WITH', 'VALUES', 'EXPLAIN', 'INSERT', 'UPDATE', 'DELETE', 'CREATE', 'DROP'],
];

/** The error for a statement whose first word is not supported. */
export function refusedStatement(first: Token, second: Token | null): Error {
  if (first.upper === 'CREATE' && (second?.upper === 'VIEW' || second?.upper === 'PROCEDURE')) {
    return sqlError(SAVED, first.position);
  }
  const what = STATEMENTS.get(first.upper);
  if (what !== undefined) return sqlError(what, first.position);
  const expected = 'SELECT, EXPLAIN, INSERT, UPDATE or DELETE';
  const near = first.kind === 'word' ? suggestion(first.text, BEGINNINGS) : null;
  return sqlError(
    `found ${shown(first)} where a statement begins; it begins with ${expected}`,
    first.position,
    near === null ? {} : { suggestion: near },
  );
}
