/**
 * Generated SELECTs over generated tables, sent to whole servers, to DuckDB and, if the semantics agree, to SQLite. Answers
 * must be equal row for row if the order is defined, else as sets of rows. Exact numbers are compared to the last digit, floats
 * that all engines compute alike to the last bit or two, others to nine digits. Layouts have one to seven shards and both kinds
 * of kernels; queries are repeated after restarts from log and snapshot. A statement that differs is reduced before it is shown.
 *
 * Where the engines' semantics differ, these rules define the statements for the others, or exclude a case:
 *   texts        Quarry stores lower case and compares without case. The others have lower-case rows and literals, and lower()
 *                around texts with other letters; selected texts keep their letters. SQLite's own upper() and lower() know only
 *                ASCII and are not compared. Excluded: upper() of letters without a simple capital (ß)
 *   order        UTF-8 bytes, missing values last, ascending or descending: NULLS LAST
 *   /            of floats; x / 0 and x % 0 are missing: nullif(y, 0)
 *   % of decimals   DuckDB uses doubles: it gets integers in units of the last place (units_of, of_units)
 *   AVG, STDDEV  DuckDB uses doubles: computed from exact sums and rounded once, AVG to six decimals (mean, spread)
 *   digits       Quarry refuses exact numbers beyond 38 digits, DuckDB beyond 128 bits: no statement generates more digits
 *   1.5e0        next to exact numbers means its shortest digits and is compared exactly, both in conditions and in
 *                expressions. DuckDB compares doubles, for which 9007199254740993 = 9007199254740992e0: it gets the digits
 *   datetimes    as text 2017-07-17T10:00:00Z; decimals as text 1.5, not 1.500 (shown); floats as text are excluded
 *   dates        only years 1 to 9999: Quarry refuses dates outside them, DuckDB does not; weekdays count from 1 = Sunday
 *   TRY_CAST     of a text as a date: DuckDB reads the end of 2016-01-01-18 as a zone; only stored and literal texts are cast.
 *                As a number: DuckDB reads 1_000; it gets another character for each _
 *   date_trunc   For a missing date DuckDB's expression rewriter turns date_trunc(...) <> constant into true: it is disabled
 *   events       three-valued: unknown for an entity without any event of the column (CASE WHEN EXISTS (any) THEN EXISTS
 *                (such) END); values of groups' events as lists, once per entity where rows are events. Text events have no
 *                order in conditions: Quarry refuses [clicks.value] < 'a'
 *   AND in AND   is one list in both engines, as is OR in OR: Quarry finds a key a AND b in c AND (a AND b), DuckDB does not; and
 *                Quarry finds a < b in NOT (a < b). DuckDB then gets CAST(key AS BOOLEAN). What both refuse is no difference
 *   a window     as the only date condition of an AND list applies to the parenthesized conditions next to it: not generated
 *   numbers      decimals end without zeros but have one place; floats have a point or an exponent; SELECT * has a score
 *   SQLite       has no decimals (integers in units of the last place), no number beyond 64 bits, dates as texts
 *
 * A longer run: node dist/test/metamorphic/sql.test.js --queries 100000 --seed 1
 */
import { parseArgs } from 'node:util';
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { ConformanceServer } from '../support/conformance-server.js';
import { difference } from '../support/sql/sql-answers.js';
import type { Kind } from '../support/sql/sql-piece.js';
import { SqlLife } from './sql-life.js';

const { values: value } = parseArgs({
  options: {
    queries: { type: 'string', default: '1200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [QUERIES, SEED] = [Number(value.queries), Number(value.seed)];
t.comment(`seed ${SEED}, ${QUERIES} queries`);
t.setTimeout(120_000 + QUERIES * 60);

const LAYOUTS = [
  { shards: 1, workers: 1, simd: true },
  // The workers merge all groups.
  { shards: 2, workers: 2, simd: false, partitionGroupsMin: 1 },
  { shards: 7, workers: 2, simd: true },
  { shards: 5, workers: 2, simd: true, exchange: 'bytes', partitionGroupsMin: 1 },
] as const;
/** Number of queries over one world before the next world is generated. */
const QUERIES_PER_WORLD = 250;
const SHOWN = 5;
/** Memory limit; the other engines run in the same process. */
const MEMORY_BYTES = 4 * 2 ** 30;
/** Share of a layout's queries that are repeated after each restart. */
const AGAIN = 0.1;

t.test('rows with nearly equal floats match in any order, and no others match', async (t) => {
  const kind = { scale: 0, digits: 9, firm: true, tame: true };
  const kinds: Kind[] = [
    { ...kind, type: 'text' },
    { ...kind, type: 'float' },
    { ...kind, type: 'float' },
  ];
  const [less, more] = [0.3, 0.1 + 0.2];
  const found = [
    ['a', less, 0],
    ['a', more, -22.5],
    ['b', null, 1],
  ];
  const expected = [
    ['b', null, 1],
    ['a', less, -22.5],
    ['a', more, 0],
  ];
  t.equal(difference(found, expected, kinds, false), null);
  t.match(difference(found, expected, kinds, true), /^row 0 is/);
  t.match(difference(found, [...expected.slice(0, 2), ['a', more, 1]], kinds, false), /^row \d is/);
  t.match(difference(found, [...expected.slice(0, 2), ['b', more, 0]], kinds, false), /^row \d is/);
  t.match(difference(found, [...expected.slice(0, 2), ['a', null, 0]], kinds, false), /^row \d is/);
});

for (const [index, { simd, ...layout }] of LAYOUTS.entries()) {
  const { shards, workers } = layout;
  t.test(
    `on ${shards} shards and ${workers} workers every answer is that of DuckDB and SQLite`,
    async (t) => {
      const server = await ConformanceServer.start(simd, { ...layout, memoryLimitBytes: MEMORY_BYTES });
      t.teardown(() => server.stop());
      const life = await SqlLife.start(new Prng(SEED * 10 + index));
      t.teardown(() => life.close());
      const count = Math.ceil(QUERIES / LAYOUTS.length);
      const wrong: string[] = [];
      for (let queryCount = 0; queryCount < count; queryCount += QUERIES_PER_WORLD) {
        await life.addWorld(server);
        wrong.push(...(await life.query(server, Math.min(QUERIES_PER_WORLD, count - queryCount))));
      }
      t.strictSame(wrong.slice(0, SHOWN), [], `${wrong.length} of ${count} differ`);
      for (const restart of ['log', 'snapshot'] as const) {
        await (restart === 'log' ? server.restartFromLog(!simd) : server.restart(simd));
        const again = await life.queryAgain(server, Math.ceil(count * AGAIN));
        t.strictSame(again.slice(0, SHOWN), [], `after a restart from the ${restart}`);
      }
      t.comment(life.summary());
    },
  );
}
