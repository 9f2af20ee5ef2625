import t from 'tap';
import { Cursor } from '../../src/sql/cursor.js';
import { ExpressionReader } from '../../src/sql/expression.js';
import { nextToken, statementTokens, type Token, unexpected } from '../../src/sql/tokens.js';
import { nodeText, refusalOf } from '../support/sql/sql-tree-text.js';

const tokensOf = (text: string): readonly Token[] => {
  const cursor = new Cursor(text);
  return statementTokens(cursor, nextToken(cursor), { tokens: 1_000_000 });
};

function printed(text: string): string {
  const reader = new ExpressionReader(tokensOf(text));
  const node = reader.expression();
  if (reader.peek().kind !== 'end') throw unexpected(reader.peek(), 'the end');
  return nodeText(node);
}

const READ: readonly (readonly [string, string])[] = [
  // Literals
  ['12', '12'],
  ['-12', '-12'],
  ['- 12.50', '-12.50'],
  ['+ 3', '3'],
  ['123456789012345678901234567890', '123456789012345678901234567890'],
  ["'it''s'", "'it's'"],
  ['"x"', '"x"'],
  ['true', 'true'],
  ['FALSE', 'false'],
  ['null', 'null'],
  ["DATE '2017-01-01'", "{cast '2017-01-01' as date}"],
  ["timestamp '2017-01-01 10:00:00'", "{cast '2017-01-01 10:00:00' as timestamp}"],
  ["timestamp with time zone '2017-01-01 10:00:00Z'", "{cast '2017-01-01 10:00:00Z' as timestamptz}"],
  ["timestamp without time zone '2017-01-01'", "{cast '2017-01-01' as timestamp}"],
  ["timestamptz '2017-01-01'", "{cast '2017-01-01' as timestamptz}"],
  ['date', '[date]'],
  ['date = 1', '{[date] = 1}'],
  // Columns
  ['age', '[age]'],
  ['[entity-id]', '[entity-id]'],
  ['[clicks.value]', '[clicks.value]'],
  ['jobs.admission', '[jobs].[admission]'],
  ['[jobs].[clicks.value]', '[jobs].[clicks.value]'],
  ['"jobs"."x"', '[jobs].[x]'],
  ['clicks.value', '[clicks].[value]'],
  ['jobs.clicks.value', '[jobs].[clicks.value]'],
  ['jobs.from', '[jobs].[from]'],
  ['left', '[left]'],
  ['entity-id', '{[entity] - [id]}'],
  // Arithmetic: * / % bind before + and -, these before ||; operators of equal precedence associate to the left
  ['a + b * c - d', '{{[a] + {[b] * [c]}} - [d]}'],
  ['a - b - c', '{{[a] - [b]} - [c]}'],
  ['a / b % c * d', '{{{[a] / [b]} % [c]} * [d]}'],
  ['(a + b) * c', '{({[a] + [b]}) * [c]}'],
  ['((a))', '([a])'],
  ['-a * -b', '{{- [a]} * {- [b]}}'],
  ['- - 5', '{- -5}'],
  ['-(5)', '{- (5)}'],
  ['a - -5', '{[a] - -5}'],
  ['a -5', '{[a] - 5}'],
  ['a || b || c', '{{[a] || [b]} || [c]}'],
  ['a || b + 1 = c', '{{[a] || {[b] + 1}} = [c]}'],
  [
    "a + CASE WHEN b THEN 'x' || y END || c",
    "{{[a] + {case when [b] then {'x' || [y]} else nothing}} || [c]}",
  ],
  // Comparisons
  ['a = 1', '{[a] = 1}'],
  ['a != 1', '{[a] <> 1}'],
  ['a <> 1', '{[a] <> 1}'],
  ['a<=1', '{[a] <= 1}'],
  ['a + 1 > b * 2', '{{[a] + 1} > {[b] * 2}}'],
  ['a between 1 and 2 + 3 and b', '{{[a] between 1 and {2 + 3}} and [b]}'],
  ['a not between - 1 and 2', '{[a] not between -1 and 2}'],
  ["a in ('x', 2, null)", "{[a] in 'x', 2, null}"],
  ['a not in (1)', '{[a] not in 1}'],
  ['a in ((1), b or c)', '{[a] in (1), {[b] or [c]}}'],
  ['a in (1) or b and c', '{{[a] in 1} or {[b] and [c]}}'],
  ["a like 'x%'", "{[a] like 'x%' escape null}"],
  ["a not like '%' || b", "{[a] not like {'%' || [b]} escape null}"],
  ["a like 'x!%' escape '!' and b", "{{[a] like 'x!%' escape !} and [b]}"],
  ['escape like escape', '{[escape] like [escape] escape null}'],
  ['a is null', '{[a] is null}'],
  ['a + 1 is not null', '{{[a] + 1} is not null}'],
  ['a is unknown', '{[a] is null}'],
  ['a is not unknown', '{[a] is not null}'],
  ['a is true', '{case [a] when true then true else false}'],
  ['a is not true', '{case [a] when true then false else true}'],
  ['a is false and b', '{{case [a] when false then true else false} and [b]}'],
  ['not a is not false', '{not {case [a] when false then false else true}}'],
  [
    'a is distinct from 1',
    '{case {{[a] = 1} or {{[a] is null} and {1 is null}}} when true then false else true}',
  ],
  [
    'a is distinct from b and c is distinct from d',
    '{{case {{[a] = [b]} or {{[a] is null} and {[b] is null}}} when true then false else true} and {case {{[c] = [d]} or {{[c] is null} and {[d] is null}}} when true then false else true}}',
  ],
  [
    'a is not distinct from b',
    '{case {{[a] = [b]} or {{[a] is null} and {[b] is null}}} when true then true else false}',
  ],
  ['(a = 1) = (b = 2)', '{({[a] = 1}) = ({[b] = 2})}'],
  ["a at time zone 'UTC' at time zone b || 'x' + 1", "{timezone{[b], timezone{'UTC', [a]}} || {'x' + 1}}"],
  ["timestamp '2017-01-01' at time zone 'UTC'", "timezone local{'UTC', {cast '2017-01-01' as timestamp}}"],
  ["timezone('UTC', a::timestamp)", "timezone local{'UTC', {cast [a] as timestamp}}"],
  [
    "date_trunc('day', a::timestamp + b) at time zone 'UTC'",
    "timezone local{'UTC', date_trunc{'day', {{cast [a] as timestamp} + [b]}}}",
  ],
  ["date_add(day, interval '1 day')", '{[day] + {interval 1 day}}'],
  ["date_sub(a, interval '1 day 02:00')", '{[a] - {interval 93600 second}}'],
  ["date_sub('day', a, b)", "date_sub{'day', [a], [b]}"],
  ["- interval '1' month * 2", '{{- {interval 1 month}} * 2}'],
  // Operators on bits bind as || does, looser than sums; ^ binds tighter than products
  ['a & b + 1', '{[a] & {[b] + 1}}'],
  ['a | b # c << 1 >> 2 || d', '{{{{{[a] | [b]} # [c]} << 1} >> 2} || [d]}'],
  ['a & b = c | d', '{{[a] & [b]} = {[c] | [d]}}'],
  ['2 * a ^ -b ^ c', '{2 * {{[a] ^ {- [b]}} ^ [c]}}'],
  ['~a + 1 & ~~b', '{bitnot{{[a] + 1}} & bitnot{bitnot{[b]}}}'],
  // NOT before AND before OR
  ['a or b and c', '{[a] or {[b] and [c]}}'],
  ['a and b or c', '{{[a] and [b]} or [c]}'],
  ['a or b and c or d and e', '{{[a] or {[b] and [c]}} or {[d] and [e]}}'],
  ['(a or b) and c', '{({[a] or [b]}) and [c]}'],
  ['not a = b and c', '{{not {[a] = [b]}} and [c]}'],
  ['not (a) = b', '{not {([a]) = [b]}}'],
  ['not not a is null', '{not {not {[a] is null}}}'],
  ['not(a and b)', '{not ({[a] and [b]})}'],
  ["interval([c.value]) = 'days'", "{interval{[c.value]} = 'days'}"],
  // CASE
  ["CASE WHEN age > 19 THEN 'Adult' ELSE 'Child' END", "{case when {[age] > 19} then 'Adult' else 'Child'}"],
  ['case a when 1 then 2 when 3 then 4 end', '{case [a] when 1 then 2 when 3 then 4 else nothing}'],
  [
    'case when a or b then case when c then 1 end end',
    '{case when {[a] or [b]} then {case when [c] then 1 else nothing} else nothing}',
  ],
  [
    'case case when a then 1 end when 1 then 2 end',
    '{case {case when [a] then 1 else nothing} when 1 then 2 else nothing}',
  ],
  // Calls
  ['pi()', 'pi{}'],
  ['COUNT(*)', 'count{*}'],
  ['count(distinct a)', 'count{distinct [a]}'],
  ['Coalesce(a, b or c, not d)', 'coalesce{[a], {[b] or [c]}, {not [d]}}'],
  ['left (a, 2)', 'left{[a], 2}'],
  ['percentile(a, 0.95)', 'percentile{[a], 0.95}'],
  ['current_date', 'current_date{}'],
  ['CURRENT_TIMESTAMP()', 'current_timestamp{}'],
  ["datepart('dd', a)", "datepart{'dd', [a]}"],
  ['datepart(dd, a)', "datepart{'dd', [a]}"],
  ['DATEADD(Year, -1, a)', "dateadd{'Year', -1, [a]}"],
  ['datepart([dd], a)', 'datepart{[dd], [a]}'],
  ['extract(year from a)', "extract{'year', [a]}"],
  ["extract('year' from a + 1)", "extract{'year', {[a] + 1}}"],
  ['extract(dow from a)', "extract{'dow', [a]}"],
  ["date_part('ISODOW', a)", "date_part{'ISODOW', [a]}"],
  ["date_part('dow')", "date_part{'dow'}"],
  ["date_trunc('dow', a)", "date_trunc{'dow', [a]}"],
  ["position('a' in b || c)", "position{'a', {[b] || [c]}}"],
  ["position('a', b)", "position{'a', [b]}"],
  ['substring(a, 1, 2)', 'substring{[a], 1, 2}'],
  ['substring(a from 2 for 3)', 'substring{[a], 2, 3}'],
  ['substring(a from 2)', 'substring{[a], 2}'],
  ['substring(a for 3)', 'substring{[a], 1, 3}'],
  ['trim(a)', 'trim{[a]}'],
  ["trim('x' from a)", "trim{[a], 'x'}"],
  ["trim(both 'x' from a)", "trim{[a], 'x'}"],
  ["trim(leading 'x' from a)", "ltrim{[a], 'x'}"],
  ['trim(trailing from a)', 'rtrim{[a]}'],
  ['trim(leading)', 'trim{[leading]}'],
  ['cast(a as INT)', '{cast [a] as int}'],
  ['cast(a or b as decimal(10,2))', '{cast {[a] or [b]} as decimal 10 2}'],
  ['cast(a as varchar(max))', '{cast [a] as varchar}'],
  ['cast(a as double precision)', '{cast [a] as double precision}'],
  ['try_cast(a as [numeric](5))', '{try cast [a] as numeric 5}'],
];

t.test('expressions are parsed by operator precedence, with every field', async (t) => {
  for (const [text, expected] of READ) t.equal(printed(text), expected, text);
});

const REFUSED: readonly (readonly [string, number, string])[] = [
  ['', 1, 'found the end of the statement where a column, a value or an expression is expected'],
  ['a +', 4, 'found the end of the statement where a column, a value or an expression is expected'],
  ['a and or b', 7, 'found "or" where a column, a value or an expression is expected'],
  ['from', 1, 'found "from" where a column, a value or an expression is expected'],
  ['a = b = c', 7, 'comparisons cannot be chained; put one of them in parentheses'],
  ['a < b < c', 7, 'comparisons cannot be chained; put one of them in parentheses'],
  ["a like 'x' = b", 12, 'comparisons cannot be chained; put one of them in parentheses'],
  ['a in (1) is null', 10, 'comparisons cannot be chained; put one of them in parentheses'],
  ['a is 1', 6, 'found "1" where NULL, TRUE, FALSE or DISTINCT FROM is expected'],
  ['a is true is true', 11, 'comparisons cannot be chained; put one of them in parentheses'],
  ['a is distinct 1', 15, 'found "1" where FROM is expected'],
  [
    '((((a is distinct from b) is distinct from c) is distinct from d) is distinct from e) is distinct from f',
    1,
    'an IS DISTINCT FROM may contain at most 3 others',
  ],
  ['a is not distinct', 18, 'found the end of the statement where FROM is expected'],
  ['a not b', 7, 'found "b" where IN, LIKE, SIMILAR TO or BETWEEN is expected'],
  ['a in ()', 6, 'IN requires at least one value'],
  ['a in b', 6, 'found "b" where ( is expected'],
  ['a between 1 or 2', 13, 'found "or" where AND is expected'],
  ['a like b escape 5', 17, 'found "5" where a character in quotes is expected'],
  ['+', 2, 'found the end of the statement where a column, a value or an expression is expected'],
  ['(a, b)', 1, 'a list in parentheses is allowed only after IN and in comparisons with another'],
  ['(a', 1, 'the parenthesis that begins here is not closed'],
  ['f(a', 2, 'the parenthesis that begins here is not closed'],
  ['f(a b)', 5, 'found "b" where an operator, a comma or ) is expected'],
  ['f(a,)', 5, 'found ")" where a column, a value or an expression is expected'],
  ['count(distinct)', 15, 'found ")" where an argument is expected'],
  ['a * *', 5, '* is allowed only as a column of SELECT and in COUNT(*)'],
  ['sum(*)', 5, '* is allowed only as a column of SELECT and in COUNT(*)'],
  ['count(*, a)', 7, '* is allowed only as a column of SELECT and in COUNT(*)'],
  ['a.*', 3, '* is allowed only as a column of SELECT and in COUNT(*)'],
  ['a.b.c.d', 6, 'found "." where a name of at most three parts is expected'],
  ['a.5', 2, 'found "0.5" where the end is expected'],
  ['a.', 3, 'found the end of the statement where a name is expected'],
  ["a.'b'", 3, 'found the string "b" where a name is expected'],
  ['dbo.f(a)', 1, 'a function name is written without brackets, quotes and schema'],
  ['[f](a)', 1, 'a function name is written without brackets, quotes and schema'],
  ['case end', 6, 'found "end" where a column, a value or an expression is expected'],
  ['case a end', 8, 'found "end" where WHEN is expected'],
  ['case when a end', 13, 'found "end" where THEN is expected'],
  ['case when a then b', 19, 'found the end of the statement where WHEN, ELSE or END is expected'],
  ['case when a then b else c', 26, 'found the end of the statement where END is expected'],
  ['cast(a)', 7, 'found ")" where AS is expected'],
  ['cast(a as)', 10, 'found ")" where a type\'s name is expected'],
  ['cast(a as decimal(x))', 19, 'found "x" where a whole number up to 1000000 is expected'],
  ['cast(a as decimal(1.5))', 19, 'found "1.5" where a whole number up to 1000000 is expected'],
  ['extract(5 from a)', 9, 'found "5" where a unit such as year, month or day is expected'],
  ['extract(year, a)', 13, 'found "," where FROM is expected'],
  ['trim(both a)', 12, 'found ")" where FROM is expected'],
  ["interval '1'", 13, 'found the end of the statement where a unit from second to year is expected'],
  [
    'geo_near(a, 1, 2)',
    1,
    'this function of geolocations is not available through SQL; use GEO_DISTANCE, GEO_WITHIN_RADIUS, GEO_WITHIN_BOX or GEO_WITHIN_POLYGON',
  ],
];

t.test('an invalid expression is refused with a message and its position', async (t) => {
  for (const [text, column, message] of REFUSED) {
    t.equal(
      refusalOf(() => printed(text)),
      `1:${column} ${message}`,
      text,
    );
  }
});

/** Nested forms of `a`, each with one level of nesting. */
const NESTS: readonly (readonly [string, string])[] = [
  ['(', ')'],
  ['f(', ')'],
  ['not ', ''],
  ['- ', ''],
  ['1 + (', ')'],
  ['case when ', ' then 1 end'],
  ['case ', ' when 1 then 2 end'],
  ['case when b then c else ', ' end'],
  ['cast(', ' as int)'],
  ['b in (', ')'],
  ['extract(year from ', ')'],
  ['position(b in (', '))'],
];

t.test('expressions are nested at most 64 deep', async (t) => {
  for (const [begin, end] of NESTS) {
    const depth = begin.startsWith('position') ? 32 : 64;
    const nested = (levels: number): string => `${begin.repeat(levels)}a${end.repeat(levels)}`;
    t.doesNotThrow(() => printed(nested(depth)), begin);
    for (const levels of [depth + 1, 50_000]) {
      t.throws(
        () => printed(nested(levels)),
        { code: 6000, message: 'the expression is nested more than 64 deep' },
        begin,
      );
    }
  }
});

t.test('operators nest at most 1,000 deep', async (t) => {
  for (const operator of ['or', 'and', '+', '*', '||', '= 1 and']) {
    const chain = (count: number): string =>
      Array(count + 1)
        .fill('a')
        .join(` ${operator} `);
    const most = operator === '= 1 and' ? 998 : 999;
    t.doesNotThrow(() => printed(chain(most)), operator);
    for (const count of [most + 1, 50_000]) {
      t.throws(
        () => printed(chain(count)),
        { code: 6000, message: /more than 1000 nested operators/ },
        operator,
      );
    }
  }
  const chain = Array(400).fill('a').join(' + ');
  t.doesNotThrow(() => printed(`(${chain}) + ${chain}`));
  t.throws(() => printed(`(((${chain}) + ${chain}) + ${chain})`), { code: 6000 });
});

class CountingReader extends ExpressionReader {
  looks = 0;

  override peek(ahead = 0): Token {
    this.looks++;
    return super.peek(ahead);
  }
}

t.test('parsing time is linear in the number of tokens', async (t) => {
  const shapes: readonly ((size: number) => string)[] = [
    (size) => `a in (${Array(size).fill('1').join(',')})`,
    (size) => `a in (${Array(size).fill('-b').join(',')})`,
    (size) => `f(${Array(size).fill('(a or b)').join(',')})`,
    (size) => `case ${'when a then b '.repeat(size)}end`,
    ...NESTS.map(([begin, end]) => {
      const nest = `${begin.repeat(30)}a${end.repeat(30)}`;
      return (size: number): string =>
        `f(${Array(Math.ceil(size / 30))
          .fill(nest)
          .join(',')})`;
    }),
  ];
  for (const shape of shapes) {
    const tokens = tokensOf(shape(3_000));
    const reader = new CountingReader(tokens);
    reader.expression();
    t.equal(reader.peek().kind, 'end');
    t.ok(reader.looks < 60 * tokens.length, `${reader.looks} looks at ${tokens.length} tokens`);
  }
});
