import t from 'tap';
import { QuarryError } from '../../../../src/base/index.js';
import { compile, ONE_ROW } from '../../../../src/expression/index.js';
import { SQL_AGGREGATE_NAMES, SQL_SCALAR_NAMES } from '../../../../src/interface/index.js';
import { SECONDS_PER_DAY } from '../../../../src/schema/index.js';
import { UNIT_NAMES } from '../../../../src/sql/bind/expressions/date-units.js';
import { bindScalar } from '../../../../src/sql/bind/expressions/scalar.js';
import { aggregateForm } from '../../../../src/sql/bind/functions/aggregate-functions.js';
import { DERIVED_FUNCTIONS } from '../../../../src/sql/bind/functions/derived.js';
import { signatureOf } from '../../../../src/sql/bind/functions/function.js';
import { FUNCTION_NAMES, SQL_FUNCTIONS } from '../../../../src/sql/bind/functions/functions.js';
import type { SqlNode } from '../../../../src/sql/tree.js';
import { valueAt } from '../../../../src/vector/index.js';
import { expressionErrors } from '../../../support/expression-check.js';
import { expressionText } from '../../../support/expression-text.js';
import {
  call,
  column,
  negative,
  nothing,
  number,
  string,
  TEST_TYPES,
  testScope,
  truth,
} from '../../../support/sql/sql-nodes.js';
import { DATE_CALLS } from './date-calls.js';
import { JSON_CALLS } from './json-calls.js';
import { type FunctionCalls, REGEX_CALLS, TEXT_EDIT_CALLS } from './text-calls.js';

const [age, salary, ratio, name] = ['age', 'salary', 'ratio', 'name'].map(column);
const [active, admission, seen, label] = ['active', 'admission', 'seen', 'Label'].map(column);
const one = number('1');
const two = number('2');
const day = string('day');
const date = string('2017-07-17');

/** The expression to which a call is bound, or the message of its refusal. */
function textOf(node: SqlNode): string {
  try {
    const bound = bindScalar(node, testScope);
    const faults = expressionErrors(bound, TEST_TYPES);
    return faults.length === 0 ? expressionText(bound) : faults.join('; ');
  } catch (error) {
    if (error instanceof QuarryError && error.code === 6000) return error.message;
    throw error;
  }
}

/** The date to which a call over constants evaluates. */
function dateText(node: SqlNode): string {
  const days = valueAt(compile(bindScalar(node, testScope))(ONE_ROW), 0);
  return new Date(Number(days) * SECONDS_PER_DAY * 1000).toISOString().slice(0, 10);
}

/** Calls and the expressions to which they are bound, by the first name of the function's entry. */
const CALLS: FunctionCalls = {
  ...TEXT_EDIT_CALLS,
  ...REGEX_CALLS,
  ...DATE_CALLS,
  ...JSON_CALLS,
  upper: [
    [[name], '(upper #3:text):text'],
    [[age], 'UPPER(text) takes text here, not integer'],
    [[], 'UPPER(text) was given 0 arguments'],
    [[name, name], 'UPPER(text) was given 2 arguments'],
    [[nothing], '(upper null:text):text'],
    [[string('a%ß')], '(upper "a%ß":text):text'],
    [[string('%a_b')], '"%A_B":text'],
  ],
  lower: [
    [[label], '(lower #9:text):text'],
    [[string('%A_B')], '"%a_b":text'],
  ],
  length: [
    [[name], '(length #3:text):integer'],
    [[admission], 'LENGTH(text) takes text here, not date'],
  ],
  trim: [
    [[name], '(trim #3:text):text'],
    [[name, string('Xy')], '(trim #3:text "xy":text):text'],
    [[label, string('Xy')], '(trim #9:text "Xy":text):text'],
    [[name, one], 'TRIM(text[, text]) takes text here, not integer'],
  ],
  ltrim: [[[name], '(ltrim #3:text):text']],
  rtrim: [[[name], '(rtrim #3:text):text']],
  substring: [
    [[name, one], '(substring #3:text 1:integer):text'],
    [[name, one, age], '(substring #3:text 1:integer #0:integer):text'],
    [[name], 'SUBSTRING(text, integer[, integer]) was given 1 argument'],
    [[name, ratio], 'SUBSTRING(text, integer[, integer]) takes a whole number here, not float'],
    [[name, number('1.5')], 'SUBSTRING(text, integer[, integer]) takes a whole number here, not decimal(1)'],
    [[name, string('2')], '(substring #3:text 2:integer):text'],
    [[name, string('x')], '(regex-substring #3:text "x":text 1:integer 1:integer "i":text 0:integer):text'],
    [
      [name, string('x(y)')],
      '(regex-substring #3:text "x(y)":text 1:integer 1:integer "i":text 1:integer):text',
    ],
    [[name, one, two, one], 'SUBSTRING(text, integer[, integer]) was given 4 arguments'],
  ],
  left: [[[name, two], '(left #3:text 2:integer):text']],
  right: [[[name, nothing], '(right #3:text null:integer):text']],
  replace: [
    [[name, string('A'), string('B')], '(replace #3:text "a":text "B":text):text'],
    [[label, string('A'), string('B')], '(replace #9:text "A":text "B":text):text'],
    [[name, one, string('B')], 'REPLACE(text, text, text) takes text here, not integer'],
  ],
  concat: [
    [[name, age, string('X')], '(concat #3:text (cast #0:integer):text "X":text):text'],
    [[nothing], '(concat null:text):text'],
    [[], 'CONCAT(words, words...) was given 0 arguments'],
  ],
  reverse: [[[name], '(reverse #3:text):text']],
  position: [
    [[string('A'), name], '(position "a":text #3:text):integer'],
    [[string('A'), label], '(position "a":text (lower #9:text):text):integer'],
  ],
  instr: [[[name, string('A')], '(position "a":text #3:text):integer']],
  lpad: [
    [[name, two], '(lpad #3:text 2:integer " ":text):text'],
    [[name, two, string('0')], '(lpad #3:text 2:integer "0":text):text'],
  ],
  rpad: [[[name, two, label], '(rpad #3:text 2:integer #9:text):text']],
  repeat: [[[name, two], '(repeat #3:text 2:integer):text']],
  space: [[[two], '(repeat " ":text 2:integer):text']],
  starts_with: [[[name, string('A')], '(starts-with #3:text "a":text)']],
  ends_with: [[[label, name], '(ends-with (lower #9:text):text #3:text)']],
  contains: [[[name, string('A')], '(contains #3:text "a":text)']],
  abs: [
    [[salary], '(abs #1:decimal(2)):decimal(2)'],
    [[string('-1.5')], '(abs -15:decimal(1)):decimal(1)'],
    [[nothing], '(abs null:integer):integer'],
    [[name], 'ABS(number) takes a number here, not text'],
    [[active], 'ABS(number) takes a number here, not boolean'],
  ],
  sign: [[[ratio], '(sign #2:float):integer']],
  floor: [
    [[age], '#0:integer'],
    [[salary], '(floor #1:decimal(2)):integer'],
    [[ratio], '(floor #2:float):float'],
  ],
  ceiling: [[[salary], '(ceiling #1:decimal(2)):integer']],
  round: [
    [[age], '#0:integer'],
    [[age, negative(two)], '(round #0:integer -2:integer):integer'],
    [[salary], '(cast (round #1:decimal(2) 0:integer):decimal(2)):integer'],
    [[salary, one], '(cast (round #1:decimal(2) 1:integer):decimal(2)):decimal(1)'],
    [[salary, two], '#1:decimal(2)'],
    [[salary, negative(one)], '(cast (round #1:decimal(2) -1:integer):decimal(2)):integer'],
    [[ratio, two], '(round #2:float 2:integer):float'],
    [[ratio, age], 'ROUND(number[, digits]) takes a literal whole number from -38 to 38 here, not integer'],
    [[ratio, number('39')], 'ROUND(number[, digits]) takes a literal whole number from -38 to 38 here'],
    [[ratio, nothing], 'ROUND(number[, digits]) takes a literal whole number from -38 to 38 here'],
  ],
  trunc: [
    [[salary, one], '(cast (truncate #1:decimal(2) 1:integer):decimal(2)):decimal(1)'],
    [[ratio], '(truncate #2:float 0:integer):float'],
  ],
  mod: [
    [[age, two], '(% #0:integer 2:integer):integer'],
    [[salary, age], '(% #1:decimal(2) (cast #0:integer):decimal(2)):decimal(2)'],
  ],
  sqrt: [
    [[age], '(sqrt (cast #0:integer):float):float'],
    [[string('2.5')], '(sqrt 2.5:float):float'],
    [[name], 'SQRT(float) takes a number here, not text'],
  ],
  div: [
    [[age, two], '(divide-whole #0:integer 2:integer):integer'],
    [[salary, age], '(divide-whole #1:decimal(2) (cast #0:integer):decimal(2)):integer'],
    [[ratio, two], '(divide-whole #2:float 2:float):float'],
    [[name, two], 'DIV(number, number) takes a number here, not text'],
  ],
  gcd: [
    [[age, two], '(gcd #0:integer 2:integer):integer'],
    [[salary, two], 'GCD(integer, integer) takes a whole number here, not decimal(2)'],
  ],
  lcm: [[[age, nothing], '(lcm #0:integer null:integer):integer']],
  factorial: [[[age], '(factorial #0:integer):integer']],
  bitand: [
    [[age, two], '(bit-and #0:integer 2:integer):integer'],
    [[ratio, two], 'BITAND(integer, integer) takes a whole number here, not float'],
  ],
  bitor: [[[age, two], '(bit-or #0:integer 2:integer):integer']],
  bitxor: [[[age, two], '(bit-xor #0:integer 2:integer):integer']],
  bitnot: [[[age], '(bit-not #0:integer):integer']],
  bitshiftleft: [[[age, two], '(shift-left #0:integer 2:integer):integer']],
  bitshiftright: [[[age, two], '(shift-right #0:integer 2:integer):integer']],
  width_bucket: [
    [
      [age, one, number('2.5'), two],
      '(width-bucket (cast #0:integer):decimal(1) 10:decimal(1) 25:decimal(1) 2:integer):integer',
    ],
    [[ratio, one, two, two], '(width-bucket #2:float 1:float 2:float 2:integer):integer'],
    [[ratio, one, two], 'WIDTH_BUCKET(number, number, number, integer) was given 3 arguments'],
  ],
  ...Object.fromEntries(
    [
      ...['cbrt', 'log2', 'degrees', 'radians', 'sin', 'cos', 'tan', 'cot', 'asin', 'acos', 'atan'],
      ...['sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh'],
    ].map((of) => [of, [[[ratio], `(${of} #2:float):float`]]]),
  ),
  ...Object.fromEntries(
    [
      ...[
        'corr',
        'covar_pop',
        'covar_samp',
        'regr_avgx',
        'regr_avgy',
        'regr_intercept',
        'regr_r2',
        'regr_slope',
      ],
      ...['regr_sxx', 'regr_sxy', 'regr_syy'],
      ...['window var_pop', 'window var_samp', 'window stddev_pop', 'window stddev_samp'],
    ].map((of) => {
      const name = of.replace('window ', '').replace('_', '-');
      return [
        of,
        [
          [
            [one, age, age, age, age, salary],
            `(${name} 1:integer #0:integer #0:integer #0:integer #0:integer #1:decimal(2)):float`,
          ],
          [
            [one, age, age, age, age, ratio],
            `${name.replace('-', '_').toUpperCase()} takes integers and decimals here; CAST floats AS DECIMAL`,
          ],
        ],
      ];
    }),
  ),
  regr_count: [[[one, age, age, age, age, age], '1:integer']],
  atan2: [[[ratio, age], '(atan2 #2:float (cast #0:integer):float):float']],
  log: [
    [[ratio], '(log10 #2:float):float'],
    [[two, ratio], '(log-base 2:float #2:float):float'],
    [[], 'LOG(float[, float]) was given 0 arguments'],
  ],
  power: [[[age, number('0.5')], '(power (cast #0:integer):float 0.5:float):float']],
  exp: [[[ratio], '(exp #2:float):float']],
  ln: [[[ratio], '(ln #2:float):float']],
  log10: [[[ratio], '(log10 #2:float):float']],
  pi: [[[], '3.141592653589793:float']],
  greatest: [
    [
      [age, number('1.5'), nothing],
      '(greatest (cast #0:integer):decimal(1) 15:decimal(1) null:decimal(1)):decimal(1)',
    ],
    [[name, string('M')], '(greatest #3:text "m":text):text'],
    [[age], '#0:integer'],
    [[age, name], "integer and text have no common type; CAST one of them to the other's type"],
  ],
  least: [[[seen, date], '(least #6:datetime 1500249600:datetime):datetime']],
  year: [
    [[admission], '(date-part year #5:date):integer'],
    [[date], '(date-part year 17364:date):integer'],
    [[name], 'YEAR(date) takes a date or datetime here, not text'],
    [[string('x')], '"x" cannot be read as datetime'],
    [[age], 'YEAR(date) takes a date or datetime here, not integer'],
  ],
  quarter: [[[seen], '(date-part quarter #6:datetime):integer']],
  month: [[[seen], '(date-part month #6:datetime):integer']],
  week: [[[seen], '(date-part week #6:datetime):integer']],
  day: [[[seen], '(date-part day #6:datetime):integer']],
  dayofweek: [[[seen], '(date-part weekday #6:datetime):integer']],
  dayofyear: [[[seen], '(date-part day-of-year #6:datetime):integer']],
  hour: [[[admission], '(date-part hour (cast #5:date):datetime):integer']],
  minute: [[[seen], '(date-part minute #6:datetime):integer']],
  second: [[[seen], '(date-part second #6:datetime):integer']],
  datepart: [
    [[string('DD'), admission], '(date-part day #5:date):integer'],
    [[column('dw'), admission], '(date-part weekday #5:date):integer'],
    [[string('hh'), date], '(date-part hour 1500249600:datetime):integer'],
    [[string('julian'), admission], '(date-part julian #5:date):integer'],
    [
      [string('julian'), seen],
      '(+ (cast (date-part julian #6:datetime):integer):float (/ (cast (- (date-part epoch #6:datetime):integer (date-part epoch (date-truncate day #6:datetime):datetime):integer):integer):float 86400:float):float):float',
    ],
    [[string('dayy'), admission], 'there is no unit "dayy"'],
    [[one, admission], "DATEPART(unit, time) takes a unit by its name, as 'day'"],
    [[day], 'DATEPART(unit, time) was given 1 argument'],
  ],
  date_trunc: [
    [[string('month'), admission], '(date-truncate month #5:date):date'],
    [[string('hour'), seen], '(date-truncate hour #6:datetime):datetime'],
    [[string('hour'), admission], '#5:date'],
    [[day, admission], '#5:date'],
    [[string('second'), seen], '#6:datetime'],
    [[string('milliseconds'), seen], '#6:datetime'],
    [
      [day, seen, string('Asia/Tokyo')],
      '(zone-instant (date-truncate day (local-time #6:datetime "Asia/Tokyo":text):datetime):datetime "Asia/Tokyo":text):datetime',
    ],
    [[string('dw'), seen], 'weekday is a part of a date, not a length of time: write day'],
  ],
  dateadd: [
    [[column('month'), negative(one), admission], '(date-add month -1:integer #5:date):date'],
    [[string('hour'), age, admission], '(date-add hour #0:integer (cast #5:date):datetime):datetime'],
    [[day, ratio, admission], 'DATEADD(unit, integer, date) takes a whole number here, not float'],
    [[string('dy'), one, seen], 'day-of-year is a part of a date, not a length of time: write day'],
  ],
  datediff: [
    [[day, admission, date], '(date-diff day #5:date 17364:date):integer'],
    [[day, admission, seen], '(date-diff day (cast #5:date):datetime #6:datetime):integer'],
    [
      [string('hour'), admission, date],
      '(date-diff hour (cast #5:date):datetime 1500249600:datetime):integer',
    ],
    [[admission, seen], 'DATEDIFF(unit, date, date) was given 2 arguments'],
  ],
  datefromparts: [[[number('2017'), age, one], '(make-date 2017:integer #0:integer 1:integer):date']],
  eomonth: [
    [
      [seen],
      '(date-add month (- (date-part month (cast #6:datetime):date):integer 1:integer):integer (date-add day 30:integer (date-truncate year (cast #6:datetime):date):date):date):date',
    ],
    [
      [admission, age],
      '(date-add month (+ (- (date-part month #5:date):integer 1:integer):integer #0:integer):integer (date-add day 30:integer (date-truncate year #5:date):date):date):date',
    ],
  ],
  date: [
    [[seen], '(cast #6:datetime):date'],
    [[name], '(cast #3:text):date'],
    [[string('2017-07-17T10:00:00Z')], '17364:date'],
    [[age], 'integer cannot be CAST as date'],
  ],
  datetime: [[[admission], '(cast #5:date):datetime']],
  now: [
    [[], '1795255200:datetime'],
    [[one, one], 'NOW([digits]) was given 2 arguments'],
  ],
  current_date: [[[], '20778:date']],
  coalesce: [
    [[age, number('1.5')], '(coalesce (cast #0:integer):decimal(1) 15:decimal(1)):decimal(1)'],
    [[name, string('None')], '(coalesce #3:text "None":text):text'],
    [[admission, date, nothing], '(coalesce #5:date 17364:date null:date):date'],
    [[age], '#0:integer'],
    [[], 'COALESCE(value, value...) was given 0 arguments'],
    [[age, string('x')], '"x" cannot be read as integer'],
  ],
  isnull: [
    [[age], '(is-null #0:integer)'],
    [[age, one], '(coalesce #0:integer 1:integer):integer'],
  ],
  nvl2: [
    [[age, string('Y'), string('n')], '(case (is-not-null #0:integer) -> "Y":text, else "n":text):text'],
  ],
  num_nulls: [
    [
      [age, name],
      '(+ (+ 0:integer (case (is-null #0:integer) -> 1:integer, else 0:integer):integer):integer (case (is-null #3:text) -> 1:integer, else 0:integer):integer):integer',
    ],
    [[], 'NUM_NULLS(value, value...) was given 0 arguments'],
  ],
  num_nonnulls: [
    [[age], '(+ 0:integer (case (is-not-null #0:integer) -> 1:integer, else 0:integer):integer):integer'],
  ],
  nullif: [
    [[age, one], '(null-if #0:integer 1:integer):integer'],
    [[age, number('1.5')], '#0:integer'],
    [[age, string('2')], '(null-if #0:integer 2:integer):integer'],
    [[age, salary], '(null-if (cast #0:integer):decimal(2) #1:decimal(2)):decimal(2)'],
    [[name, string('A')], '(null-if #3:text "a":text):text'],
    [[label, string('A')], '(case (= (lower #9:text):text "a":text) -> null:text, else #9:text):text'],
    [[age, nothing], '#0:integer'],
    [[age, active], "integer and boolean have no common type; CAST one of them to the other's type"],
  ],
  if: [
    [[active, one, number('2.5')], '(case #4 -> 10:decimal(1), else 25:decimal(1)):decimal(1)'],
    [[truth(true), name, nothing], '(case true -> #3:text):text'],
    [[age, one, two], 'IF(condition, value, value) takes a condition here, not integer'],
  ],
};

t.test('every function checks its arguments and reports the expected ones', async (t) => {
  for (const { names } of SQL_FUNCTIONS) {
    const calls = CALLS[names[0]];
    t.ok(calls !== undefined, `${names[0]} is tested`);
    for (const [args, expected] of calls ?? []) t.equal(textOf(call(names[0], ...args)), expected);
  }
  t.equal(Object.keys(CALLS).length, SQL_FUNCTIONS.length);
});

t.test('aliases of a function are equivalent', async (t) => {
  for (const entry of SQL_FUNCTIONS) {
    const [first, ...others] = entry.names;
    for (const other of others) {
      for (const [args, expected] of CALLS[first]) {
        const renamed = expected.replace(signatureOf(first, entry), signatureOf(other, entry));
        t.equal(textOf(call(other, ...args)), renamed, other);
      }
    }
  }
});

t.test('the prompt and the console complete every function', async (t) => {
  const shown = SQL_FUNCTIONS.filter((entry) => !DERIVED_FUNCTIONS.includes(entry))
    .map(({ names }) => names[0].toUpperCase())
    .filter((name) => !name.includes(' '));
  t.strictSame([...SQL_SCALAR_NAMES].sort(), shown.sort());
  for (const name of SQL_AGGREGATE_NAMES) {
    const isKnown = aggregateForm(name.toLowerCase()) !== null || FUNCTION_NAMES.includes(name.toLowerCase());
    t.ok(isKnown, name);
  }
});

t.test('no name is in the table twice', async (t) => {
  const names = SQL_FUNCTIONS.flatMap((entry) => entry.names);
  const known = [...names].filter((name) => !name.includes(' ')).sort();
  t.strictSame(known, [...FUNCTION_NAMES].sort(), 'all but those for the reader');
  for (const known of names) t.equal(known, known.toLowerCase());
});

t.test('an unknown function is refused with a suggestion', async (t) => {
  const refused = (name: string): unknown => {
    try {
      bindScalar(call(name), testScope);
    } catch (error) {
      return error instanceof QuarryError ? error.moreInfo : error;
    }
    return null;
  };
  const at = { line: 1, column: 1 };
  t.strictSame(refused('substrng'), {
    message: 'there is no function "substrng"',
    ...at,
    suggestion: 'SUBSTRING',
  });
  t.strictSame(refused('frobnicate'), { message: 'there is no function "frobnicate"', ...at });
});

t.test(
  'EOMONTH returns the last day of every month of the calendar, including the first and the last',
  async (t) => {
    const years = [0, 1, 4, 100, 400, 1582, 1899, 1900, 1970, 2000, 2023, 2024, 9996, 9999];
    for (const year of years) {
      for (let month = 0; month < 12; month++) {
        // Date.UTC maps the years 0 to 99 to 1900 to 1999.
        const dayOf = (of: number, day: number): string =>
          new Date(new Date(0).setUTCFullYear(year, of, day)).toISOString().slice(0, 10);
        const lastDay = dayOf(month + 1, 0);
        for (const from of [dayOf(month, 1), dayOf(month, 17), lastDay]) {
          t.equal(dateText(call('eomonth', string(from))), lastDay, from);
        }
        const other = (year * 7 + month * 5) % 12;
        const onwards =
          other < month ? negative(number(String(month - other))) : number(String(other - month));
        t.equal(dateText(call('eomonth', string(dayOf(month, 1)), onwards)), dayOf(other + 1, 0), lastDay);
      }
    }
    t.throws(() => dateText(call('eomonth', string('9999-12-01'), one)), { code: 6000 });
  },
);

t.test('DISTINCT is allowed only in aggregates', async (t) => {
  const distinct = { ...call('upper', name), distinct: true } as SqlNode;
  t.equal(textOf(distinct), 'DISTINCT is allowed only in aggregates, not in UPPER');
});

t.test('unit names are case-insensitive', async (t) => {
  t.ok(UNIT_NAMES.length > 30);
  for (const unit of UNIT_NAMES) {
    const bound = textOf(call('datepart', string(unit), seen));
    if (unit !== 'julian') t.match(bound, /^\(date-part [a-z-]+ #6:datetime\):integer$/, unit);
    t.equal(textOf(call('datepart', column(unit.toUpperCase()), seen)), bound, unit);
  }
});
