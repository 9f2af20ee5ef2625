import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { Cursor } from '../../../src/sql/cursor.js';
import type { QueryStatement } from '../../../src/sql/index.js';
import { readScript } from '../../../src/sql/index.js';
import { readPostgresSelect } from '../../../src/sql/postgres/select.js';
import { readPostgres } from '../../../src/sql/postgres/statements.js';
import { readQuery } from '../../../src/sql/query/read-query.js';
import { nextToken, statementTokens } from '../../../src/sql/tokens.js';
import { QueryGenerator } from '../../support/sql/generated-queries.js';
import { QueryPrinter } from '../../support/sql/printed-queries.js';
import { refusalOf, scriptText, statementText } from '../../support/sql/sql-tree-text.js';
import { TPCH_QUERIES } from '../../support/sql/tpch.js';

const SEED = 20_261;
const GENERATED_COUNT = 1_500;

const READ: readonly (readonly [string, string])[] = [
  ['TABLE t UNION (TABLE public.u) LIMIT 1', 'query: {select * from [t] union select * from [u]} limit 1'],
  [
    'SELECT a FROM (TABLE [x y]) z, db.public.v w',
    'query: select [a] from {select * from [x y]} as [z], [v] as [w]',
  ],
  ['SELECT table FROM public.t', 'query: select [table] from [t]'],
  ['WITH x AS (SELECT 1) SELECT a FROM x', 'query: with [x] as {select 1} select [a] from [x]'],
  [
    'WITH RECURSIVE x (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x), y AS NOT MATERIALIZED (VALUES (1, 2)) SELECT a FROM x, y LIMIT 5',
    'query: with recursive [x]([n]) as {{select 1 union all select {[n] + 1} from [x]}}, recursive [y] as {values (1, 2)} select [a] from [x], [y] limit 5',
  ],
  ['WITH with AS (SELECT 1) SELECT a FROM with', 'query: with [with] as {select 1} select [a] from [with]'],
  [
    'SELECT 1 UNION SELECT 2 INTERSECT SELECT 3 EXCEPT ALL SELECT 4',
    'query: {{select 1 union {select 2 intersect select 3}} except all select 4}',
  ],
  [
    '(SELECT 1 UNION SELECT 2) INTERSECT DISTINCT SELECT 3 ORDER BY 1 DESC NULLS FIRST LIMIT 2',
    'query: {{select 1 union select 2} intersect select 3} order by 1 desc nulls first limit 2',
  ],
  [
    '(SELECT a FROM t ORDER BY a LIMIT 1) UNION ALL (SELECT 2)',
    'query: {{select [a] from [t] order by [a] limit 1} union all select 2}',
  ],
  ['((SELECT 1))', 'query: select 1'],
  ['((SELECT a FROM t LIMIT 1)) OFFSET 2', 'query: {select [a] from [t] limit 1} offset 2'],
  ['(SELECT a FROM t ORDER BY a)', 'query: select [a] from [t] order by [a]'],
  ['SELECT TOP 2 a FROM t UNION SELECT 3', 'query: {{select [a] from [t] limit 2} union select 3}'],
  ['SELECT TOP 2 WITH TIES a FROM t ORDER BY a', 'query: select [a] from [t] order by [a] limit 2 with ties'],
  ["VALUES (1, 'a'), (2, NULL) ORDER BY 1", "query: values (1, 'a'), (2, null) order by 1"],
  ['SELECT a FROM (VALUES (1)) AS v (a)', 'query: select [a] from {values (1)} as [v]([a])'],
  [
    "SELECT a FROM t, LATERAL f(a, INTERVAL '1 day 2 hours') AS g (b) CROSS JOIN h() JOIN i(INTERVAL '1' day + d) ON true",
    'query: select [a] from [t], {{f{[a], {interval 1 day 2 hour}} as [g]([b]) cross join h{}} inner join i{{{interval 1 day} + [d]}} on true}',
  ],
  ['SELECT ALL a FROM t', 'query: select [a] from [t]'],
  ['SELECT all FROM t', 'query: select [all] from [t]'],
  [
    'SELECT DISTINCT ON (a, b + 1) a, c AS d FROM t ORDER BY a',
    'query: select distinct on ([a], {[b] + 1}) [a], [c] as [d] from [t] order by [a]',
  ],
  [
    'SELECT t.*, * FROM t, u x, v AS y (c, d)',
    'query: select [t].*, * from [t], [u] as [x], [v] as [y]([c], [d])',
  ],
  [
    'SELECT a FROM (SELECT 1) x, LATERAL (SELECT x.a) AS y (b) LEFT JOIN LATERAL (SELECT 1) z ON TRUE',
    'query: select [a] from {select 1} as [x], {lateral {select [x].[a]} as [y]([b]) left join lateral {select 1} as [z] on true}',
  ],
  ['SELECT a FROM (SELECT 1)', 'query: select [a] from {select 1}'],
  [
    'SELECT a FROM (t JOIN u ON a = b) LEFT OUTER JOIN (v CROSS JOIN w) ON c',
    'query: select [a] from {{[t] inner join [u] on {[a] = [b]}} left join {[v] cross join [w]} on [c]}',
  ],
  [
    'SELECT a FROM t RIGHT JOIN u USING (a, [b]) FULL OUTER JOIN v ON c NATURAL JOIN w NATURAL LEFT JOIN q',
    'query: select [a] from {{{{[t] right join [u] using ([a], [b])} full join [v] on [c]} natural inner join [w]} natural left join [q]}',
  ],
  [
    'SELECT a FROM t JOIN u JOIN v ON b ON c',
    'query: select [a] from {[t] inner join {[u] inner join [v] on [b]} on [c]}',
  ],
  [
    'SELECT a FROM left LEFT JOIN right ON x RIGHT JOIN full full USING (a)',
    'query: select [a] from {{[left] left join [right] on [x]} right join [full] as [full] using ([a])}',
  ],
  [
    'SELECT a, COUNT(*) FROM t GROUP BY a, ROLLUP (b, (c, d)), CUBE (e, f)',
    'query: select [a], count{*} from [t] group by [a], sets (([b], [c], [d]), ([b]), ()), sets (([e], [f]), ([e]), ([f]), ())',
  ],
  [
    'SELECT a FROM t GROUP BY GROUPING SETS ((a, b), a, (), ROLLUP (c)), ()',
    'query: select [a] from [t] group by sets (([a], [b]), ([a]), (), ([c]), ()), sets (())',
  ],
  ['SELECT a FROM t GROUP BY (a, b), (c)', 'query: select [a] from [t] group by [a], [b], ([c])'],
  ['SELECT a FROM t GROUP BY (a), (b + 1)', 'select [a] from [t] group by ([a]), ({[b] + 1})'],
  [
    'SELECT SUM(a) OVER (), RANK() OVER (PARTITION BY b, c ORDER BY d DESC NULLS LAST), COUNT(*) OVER w FROM t WINDOW w AS (ORDER BY a), [v x] AS (w ROWS 1 PRECEDING)',
    'query: select {sum{[a]} over ()}, {rank{} over (partition by [b], [c] order by [d] desc nulls last)}, {count{*} over ([w])} from [t] window [w] as (order by [a]), [v x] as ([w] rows from 1 preceding to current)',
  ],
  [
    'SELECT SUM(a) FILTER (WHERE b > 1) OVER (w RANGE BETWEEN UNBOUNDED PRECEDING AND 2 + 1 FOLLOWING) AS x FROM t',
    'query: select {sum{[a]} filter {[b] > 1} over ([w] range from first to {2 + 1} following)} as [x] from [t]',
  ],
  [
    'SELECT SUM(a) OVER (GROUPS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE NO OTHERS) over, COUNT(*) over FROM t',
    'query: select {sum{[a]} over (groups from current to last)} as [over], count{*} as [over] from [t]',
  ],
  [
    'SELECT SUM(a) OVER (ROWS 1 PRECEDING EXCLUDE CURRENT ROW), MIN(a) OVER (GROUPS 1 PRECEDING EXCLUDE GROUP), COUNT(*) OVER (RANGE CURRENT ROW EXCLUDE TIES) FROM t',
    'query: select {sum{[a]} over (rows from 1 preceding to current without current-row)}, {min{[a]} over (groups from 1 preceding to current without group)}, {count{*} over (range from current to current without ties)} from [t]',
  ],
  [
    'SELECT a FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY a) = 1 ORDER BY b',
    'query: select [a] from [t] qualify {{row_number{} over (order by [a])} = 1} order by [b]',
  ],
  [
    "SELECT COUNT(*) FILTER (WHERE a), STRING_AGG(DISTINCT a, ',' ORDER BY b, c DESC), PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a DESC) FROM t",
    "query: select {count{*} filter [a]}, {string_agg{distinct [a], ','} order by [b], [c] desc}, {percentile_cont{0.5} order by [a] desc} from [t]",
  ],
  [
    "SELECT STRING_AGG(a, ',' ORDER BY b) FILTER (WHERE c), PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a) FILTER (WHERE c) FROM t",
    "query: select {string_agg{[a], ','} order by [b] filter [c]}, {percentile_cont{0.5} order by {case when [c] then [a] else nothing}} from [t]",
  ],
  [
    'SELECT (SELECT MAX(b) FROM u), ((SELECT 1)) + 1, -(SELECT 2) FROM t',
    'query: select {select max{[b]} from [u]}, {{select 1} + 1}, {- {select 2}} from [t]',
  ],
  [
    'SELECT a FROM t WHERE EXISTS (SELECT * FROM u) AND NOT EXISTS ((SELECT 1)) OR exists',
    'query: select [a] from [t] where {{{exists select * from [u]} and {not {exists select 1}}} or [exists]}',
  ],
  [
    'SELECT a FROM t WHERE a IN (SELECT b FROM u) AND c NOT IN ((SELECT 1) UNION SELECT 2) AND d IN ((SELECT 1), 2)',
    'query: select [a] from [t] where {{{[a] = any select [b] from [u]} and {[c] not = any {select 1 union select 2}}} and {[d] in {select 1}, 2}}',
  ],
  [
    'SELECT a FROM t WHERE (a, b) IN (SELECT 1, 2) AND (a, b + 1) NOT IN (SELECT 1, 2)',
    'query: select [a] from [t] where {{[a], [b] = any select 1, 2} and {[a], {[b] + 1} not = any select 1, 2}}',
  ],
  [
    'SELECT a FROM t WHERE a = ANY (SELECT 1) AND a <> ALL (SELECT 2) AND a < SOME (VALUES (3)) AND (a, b) = ANY (SELECT 1, 2)',
    'query: select [a] from [t] where {{{{[a] = any select 1} and {[a] <> all select 2}} and {[a] < any values (3)}} and {[a], [b] = any select 1, 2}}',
  ],
  [
    'SELECT a FROM t WHERE (a, b) = (1, 2) AND (a, b) <> (1, 2) AND (a, b) < (1, 2) AND (a, b, c) >= (1, 2, 3)',
    'select [a] from [t] where {{{{{[a] = 1} and {[b] = 2}} and {{[a] <> 1} or {[b] <> 2}}} and {{[a] < 1} or {{[a] = 1} and {[b] < 2}}}} and {{[a] > 1} or {{[a] = 1} and {{[b] > 2} or {{[b] = 2} and {[c] >= 3}}}}}}',
  ],
  [
    'SELECT a FROM t WHERE (a, b) IN ((1, 2), (3, 4)) OR (a, b) NOT IN ((1, 2))',
    'select [a] from [t] where {{{{[a] = 1} and {[b] = 2}} or {{[a] = 3} and {[b] = 4}}} or {not {{[a] = 1} and {[b] = 2}}}}',
  ],
  ['SELECT a FROM t LIMIT ALL OFFSET 3', 'query: select [a] from [t] offset 3'],
  [
    'SELECT a FROM t OFFSET 3 ROWS FETCH FIRST 2 ROWS WITH TIES',
    'query: select [a] from [t] limit 2 with ties offset 3',
  ],
  ['SELECT a FROM t, u FETCH FIRST ROW ONLY', 'query: select [a] from [t], [u] limit 1'],
  [
    'SELECT a FROM t ORDER BY a NULLS FIRST, b NULLS LAST, c DESC',
    'query: select [a] from [t] order by [a] nulls first, [b] nulls last, [c] desc',
  ],
  ['EXPLAIN ANALYZE WITH x AS (SELECT 1) SELECT 2', 'explain analyze query: with [x] as {select 1} select 2'],
  ['EXPLAIN (SELECT 1)', 'explain plan query: select 1'],
  [
    "SELECT a::int, -5::text, (a + b)::decimal(10, 2), 'x'::timestamp with time zone FROM t",
    "select {cast [a] as int}, {- {cast 5 as text}}, {cast ({[a] + [b]}) as decimal 10 2}, {cast 'x' as timestamp with time zone} from [t]",
  ],
  [
    "SELECT a - INTERVAL '3' month + INTERVAL '1 year 2 days', INTERVAL '1 day' + b, c - INTERVAL 90 DAY (3), +a, + 5, a ILIKE 'x'",
    "select {{[a] - {interval 3 month}} + {interval 1 year 2 day}}, {{interval 1 day} + [b]}, {[c] - {interval 90 day}}, [a], 5, {[a] like 'x' escape null}",
  ],
  [
    'SELECT COUNT(ALL a), SUM(ALL -a), COUNT(DISTINCT a) FROM t',
    'select count{[a]}, sum{{- [a]}}, count{distinct [a]} from [t]',
  ],
  ['SELECT union, a.except, "window" FROM t', 'query: select [union], [a].[except], "window" from [t]'],
  ['SELECT a FROM t window WHERE b', 'select [a] from [t] as [window] where [b]'],
  ['SELECT a FROM t, u union SELECT 1', 'query: {select [a] from [t], [u] union select 1}'],
  ['SELECT SUM(a) OVER (ROWS) FROM t', 'query: select {sum{[a]} over ([ROWS])} from [t]'],
  ['SELECT a FROM t, LATERAL u', 'query: select [a] from [t], [LATERAL] as [u]'],
];

const REFUSED: readonly (readonly [string, number, string])[] = [
  ['SELECT 1 UNION', 15, 'found the end of the statement where SELECT, VALUES or ( is expected'],
  [
    'SELECT a FROM t UNION SELECT b FROM u WHERE c ORDER BY d WHERE e',
    58,
    'WHERE is not allowed here; the clauses of a SELECT have this order: WITH, SELECT, FROM, JOIN, WHERE, GROUP BY, HAVING, WINDOW, QUALIFY, UNION, ORDER BY, LIMIT',
  ],
  ['SELECT a FROM (SELECT 1', 15, 'the parenthesis that begins here is not closed'],
  ['SELECT a FROM (SELECT 1 b c) x', 27, 'found "c" where a comma, the next clause or ) is expected'],
  ['SELECT a FROM t JOIN u, v', 23, 'found "," where ON or USING is expected'],
  [
    'SELECT a FROM t CROSS JOIN u ON a',
    30,
    'found "ON" where a comma, the next clause or the end of the statement is expected',
  ],
  [
    'SELECT a FROM t NATURAL u',
    25,
    'found "u" where a comma, the next clause or the end of the statement is expected',
  ],
  ['SELECT a FROM (t) x', 15, 'found "(" where a table\'s name, alone, is expected'],
  [
    'SELECT a FROM (t JOIN u ON b) AS x',
    31,
    'a join in parentheses cannot have a name; write (SELECT ...) name',
  ],
  ['SELECT a FROM t, f(x) WITH ORDINALITY', 23, 'WITH ORDINALITY is not available; use ROW_NUMBER() OVER ()'],
  ['SELECT a FROM f(x', 16, 'the parenthesis that begins here is not closed'],
  ['SELECT a FROM dbo.t, u', 15, '"dbo" is not the schema of the tables, which is "public"'],
  ['WITH x AS SELECT 1', 11, 'found "SELECT" where ( is expected'],
  ['WITH x SELECT 1', 8, 'found "SELECT" where AS is expected'],
  ['WITH x AS (SELECT 1) MERGE FROM t', 22, 'found "MERGE" where SELECT, VALUES or ( is expected'],
  [
    'WITH x AS (DELETE FROM t RETURNING a) SELECT a FROM x',
    12,
    'a write inside WITH is not available; send it as a statement of its own, in the same body or transaction block',
  ],
  ['WITH x AS (SELECT 1), SELECT 2', 23, 'found "SELECT" where a table\'s name is expected'],
  ['VALUES (1, 2), (3)', 16, 'this row has 1 values, the first 2'],
  ['VALUES 1', 8, 'found "1" where ( is expected'],
  ['SELECT a FROM t WHERE a IN (SELECT 1, (SELECT 2)', 28, 'the parenthesis that begins here is not closed'],
  ['SELECT a FROM t WHERE (a, b) IN ((1, 2, 3))', 34, 'the list has 3 values, the one before it 2'],
  [
    'SELECT a FROM t WHERE (a, b) = 1 AND EXISTS (SELECT 1)',
    32,
    'found "1" where a list of 2 values in parentheses is expected',
  ],
  [
    'SELECT a FROM t WHERE (a, b + 1) IN ((1, 2), (3, 4))',
    27,
    'in this comparison of lists each value is a column or a literal',
  ],
  [
    'SELECT a FROM t WHERE (a, b) AND EXISTS (SELECT 1)',
    23,
    'a list in parentheses is allowed only after IN and in comparisons with another',
  ],
  [
    'SELECT a FROM t WHERE a = ALL (b, c)',
    31,
    'ANY and ALL take one list or SELECT; use IN for several values',
  ],
  [
    'SELECT SUM(a) OVER (ROWS BETWEEN 1 FOLLOWING AND 1 PRECEDING) FROM t',
    34,
    'the frame ends before it begins',
  ],
  [
    'SELECT SUM(a) OVER (ROWS UNBOUNDED FOLLOWING) FROM t',
    26,
    'a frame does not begin with UNBOUNDED FOLLOWING',
  ],
  ['SELECT SUM(a) OVER (PARTITION BY a x) FROM t', 36, 'found "x" where a comma, ORDER BY or ) is expected'],
  ['SELECT SUM(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING) FROM t', 56, 'found ")" where AND is expected'],
  [
    'SELECT SUM(a) OVER (ROWS 1 PRECEDING EXCLUDE ROW) FROM t',
    46,
    'found "ROW" where CURRENT ROW, GROUP, TIES or NO OTHERS is expected',
  ],
  ['SELECT SUM(a ORDER BY b) OVER () FROM t', 26, 'ORDER BY inside a call cannot be used together with OVER'],
  ['SELECT COUNT(*) FILTER (a) FROM t', 25, 'found "a" where WHERE is expected'],
  [
    'SELECT a FROM t GROUP BY CUBE (a,b,c,d,e,f,g,h,i,j,k,l,m)',
    26,
    'GROUP BY has at most 4096 grouping sets',
  ],
  ['SELECT a FROM t GROUP BY GROUPING SETS a', 40, 'found "a" where ( is expected'],
  [
    'SELECT a FROM t, u LIMIT 5 LIMIT 6',
    28,
    'found "LIMIT" where a comma, the next clause or the end of the statement is expected',
  ],
  ['SELECT TOP 5 a FROM t, u LIMIT 6', 32, 'TOP and LIMIT cannot be used in one statement'],
  [
    'SELECT a FROM t ORDER BY a NULLS MIDDLE',
    28,
    'found "NULLS" where a comma, the next clause or the end of the statement is expected',
  ],
  [
    'SELECT a FROM t ORDER BY a NULLS FIRST b',
    40,
    'found "b" where a comma, the next clause or the end of the statement is expected',
  ],
  ['SELECT * AS x FROM t, u', 8, '* cannot have an alias'],
  ['SELECT a FROM t, u WHERE a, b', 27, 'conditions are joined with AND and OR, not with commas'],
  [
    'SELECT a b c FROM t, u',
    12,
    'found "c" where a comma, the next clause or the end of the statement is expected',
  ],
  ['SELECT a FROM t, u)', 19, 'this ) closes nothing'],
  [
    'SELECT a FROM t, u ORDER BY',
    28,
    'found the end of the statement where a column, a value or an expression is expected',
  ],
  ['SELECT a FROM t, u WHERE b ASC', 28, 'ASC is allowed only in ORDER BY'],
  ['SELECT DISTINCT ON a FROM t', 20, 'found "a" where ( is expected'],
  [
    "SELECT a - INTERVAL '1 fortnight'",
    21,
    "INTERVAL \"1 fortnight\": an interval is '1 year 2 months', '3 days 04:05:06' or alike, in whole seconds",
  ],
  ["SELECT a - INTERVAL '3' FROM t", 25, 'found "FROM" where a unit from second to year is expected'],
  [
    'SELECT a FROM t WHERE a = (SELECT 1) = 2',
    38,
    'comparisons cannot be chained; put one of them in parentheses',
  ],
  ['SELECT ::int', 8, 'a value or an expression is missing before this'],
  [
    'SELECT a FROM t JOIN u USING a',
    30,
    'found "a" where a comma, the next clause or the end of the statement is expected',
  ],
  ['SELECT a UNION b', 16, 'found "b" where SELECT, VALUES or ( is expected'],
  [
    'SELECT a FROM t GROUP BY a WITH ROLLUP',
    28,
    'WITH ROLLUP and WITH CUBE are not available; write GROUP BY ROLLUP (...) or CUBE (...)',
  ],
  ['SELECT a FROM t JOIN u JOIN v ON b', 35, 'found the end of the statement where ON or USING is expected'],
];

t.test('queries are parsed with every field', async (t) => {
  for (const [text, expected] of READ) t.equal(scriptText(readScript(text)), `reads: ${expected}`, text);
});

t.test('an invalid query is refused with a message and its position', async (t) => {
  for (const [text, column, message] of REFUSED) {
    t.equal(
      refusalOf(() => readScript(text)),
      `1:${column} ${message}`,
      text,
    );
  }
});

function read(text: string): QueryStatement {
  const cursor = new Cursor(text);
  return readQuery(statementTokens(cursor, nextToken(cursor), { tokens: 1_000_000 }));
}

t.test('generated queries are parsed as they were printed, with source positions', async (t) => {
  t.comment(`seed ${SEED}`);
  for (let index = 0; index < GENERATED_COUNT; index++) {
    const random = new Prng(SEED + index);
    const printer = new QueryPrinter(random);
    const printed = printer.statement(new QueryGenerator(random).statement());
    let found: unknown;
    try {
      found = read(printer.text);
    } catch (error) {
      found = (error as { moreInfo?: unknown }).moreInfo ?? error;
    }
    if (sorted(found) === sorted(printed)) continue;
    t.equal(statementText(found as QueryStatement), statementText(printed), printer.text);
    t.equal(sorted(found), sorted(printed), printer.text);
    return;
  }
});

/** The tree as text, with the fields of each node in one order. */
function sorted(tree: unknown): string {
  return JSON.stringify(tree, (_key, value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

t.test('the queries of TPC-H are parsed, in both dialects to the same tree', async (t) => {
  t.equal(TPCH_QUERIES.length, 22);
  const flat = [1, 6];
  TPCH_QUERIES.forEach((text, index) => {
    const script = readScript(text);
    if (script.kind !== 'reads') throw new Error('no SELECT');
    t.equal(script.statements[0].is, flat.includes(index + 1) ? 'select' : 'query', `query ${index + 1}`);
    const [statement] = readPostgres(text);
    const own = statementText(script.statements[0]).replaceAll('escape null', 'escape \\');
    t.equal(statementText(readPostgresSelect(statement, [], 'http')), own);
  });
  t.equal(
    scriptText(readScript(TPCH_QUERIES[12])),
    'reads: query: select [c_count], count{*} as [custdist] from {select [c_custkey], count{[o_orderkey]} from ' +
      '{[customer] left join [orders] on {{[c_custkey] = [o_custkey]} and ' +
      "{[o_comment] not like '%special%requests%' escape null}}} group by [c_custkey]} " +
      'as [c_orders]([c_custkey], [c_count]) group by [c_count] order by [custdist] desc, [c_count] desc',
  );
});

t.test('parameters are values inside subqueries', async (t) => {
  const [statement] = readPostgres(
    'SELECT a FROM t WHERE b IN (SELECT c FROM u WHERE d = $2 LIMIT $1) AND e LIKE $3',
  );
  const values = [
    { is: 'number', text: '5' },
    { is: 'text', text: "x'" },
    { is: 'null', type: 'text' },
  ] as const;
  t.equal(
    statementText(readPostgresSelect(statement, values, 'http')),
    "query: select [a] from [t] where {{[b] = any select [c] from [u] where {[d] = 'x''} limit 5} and " +
      '{[e] like {cast null as text} escape \\}}',
  );
});

const deep = (before: string, inside: string, after: string, count: number): string =>
  before.repeat(count) + inside + after.repeat(count);

const HOSTILE: readonly (readonly [string, string, RegExp])[] = [
  ['parentheses', deep('(', 'SELECT 1', ')', 10_000), /nested more than 64 deep/],
  ['parentheses without an end', '('.repeat(90_000), /nested more than 64 deep|SELECT, VALUES/],
  ['subqueries', deep('SELECT (', 'SELECT 1', ')', 10_000), /nested more than 64 deep/],
  ['derived tables', deep('SELECT a FROM (', 'SELECT 1', ')', 10_000), /nested more than 64 deep/],
  ['EXISTS', deep('SELECT EXISTS (', 'SELECT 1', ')', 10_000), /nested more than 64 deep/],
  ['WITH', deep('WITH a AS (', 'SELECT 1', ')', 10_000), /nested more than 64 deep/],
  ['parenthesized joins', `SELECT a FROM ${deep('(', 't JOIN u ON b', ')', 10_000)}`, /nested more than 64/],
  ['joins without conditions', `SELECT a FROM t${' JOIN u'.repeat(10_000)}`, /joins at most 32 tables/],
  ['windows', deep('SELECT SUM(a) OVER (ORDER BY (', 'SELECT 1', '))', 5_000), /nested more than 64 deep/],
  ['signs', `SELECT ALL ${'+ '.repeat(50_000)}a`, /nested more than 64 deep/],
  ['grouping sets', deep('GROUPING SETS (', '()', ')', 10_000), /begins with SELECT/],
  [
    'nested grouping sets',
    `SELECT a FROM t GROUP BY ${deep('GROUPING SETS (', '()', ')', 10_000)}`,
    /nested more than 64 deep/,
  ],
  [
    'tables of WITH',
    `WITH ${Array.from({ length: 10_000 }, (_, at) => `t${at} AS (SELECT 1)`).join(', ')} SELECT 2`,
    /at most 500 SELECTs/,
  ],
  ['unions', `SELECT 1${' UNION SELECT 1'.repeat(30_000)}`, /at most 500 SELECTs/],
  ['tables', `SELECT a FROM t${', t'.repeat(40_000)}`, /joins at most 32 tables/],
  ['ROLLUP', `SELECT a FROM t GROUP BY ROLLUP (a${', a'.repeat(4_000)})`, /keys in total/],
  ['CUBE', `SELECT a FROM t GROUP BY CUBE (a${', a'.repeat(40_000)})`, /at most 4096 grouping sets/],
  [
    'products of grouping sets',
    `SELECT a FROM t GROUP BY CUBE (a, b, c, d, e, f, g)${', ROLLUP (a, b)'.repeat(9)}`,
    /at most 4096 grouping sets/,
  ],
  ['intervals', `SELECT ALL a${" + INTERVAL '1 day'".repeat(2_000)}`, /more than 1000 nested operators/],
  ['casts', `SELECT ALL a${'::int'.repeat(2_000)}`, /more than 1000 nested operators/],
  ['lists', `SELECT a FROM t GROUP BY ${'(a), '.repeat(15_000)}(a, b`, /not closed/],
  ['1 MB', `SELECT (SELECT ${'a, '.repeat(350_000)} b)`, /more than 100000 words/],
];

t.test('hostile queries are refused', async (t) => {
  for (const [what, text, message] of HOSTILE)
    t.match(refusalOf(() => readScript(text)).slice(0, 500), message, what);
});

t.test('long lists are read within the limits', async (t) => {
  const values = `VALUES ${Array.from({ length: 15_000 }, (_, at) => `(${at}, 1)`).join(', ')}`;
  t.equal(scriptText(readScript(values)).length > 150_000, true);
  const rows = Array.from({ length: 5_000 }, (_, at) => `(${at}, 1)`).join(', ');
  t.doesNotThrow(() => readScript(`SELECT a FROM t WHERE (a, b) IN (${rows})`));
  t.doesNotThrow(() => readScript(`SELECT a FROM t GROUP BY ${'(a), '.repeat(15_000)}a, (b, c)`));
});
