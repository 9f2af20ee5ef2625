import t from 'tap';
import { Prng, QuarryError } from '../../../../src/base/index.js';
import { compile } from '../../../../src/expression/index.js';
import type { Expression } from '../../../../src/ir/index.js';
import { bindCondition, bindScalar } from '../../../../src/sql/bind/expressions/scalar.js';
import type { SqlNode } from '../../../../src/sql/tree.js';
import { type Value, valueAt, vectorKindOf, vectorOf } from '../../../../src/vector/index.js';
import { expressionErrors } from '../../../support/expression-check.js';
import { expressionText } from '../../../support/expression-text.js';
import {
  arithmetic,
  between,
  both,
  call,
  cast,
  choice,
  column,
  compare,
  either,
  isNull,
  like,
  negative,
  not,
  nothing,
  number,
  oneOf,
  star,
  string,
  TEST_TYPES,
  testScope,
  truth,
} from '../../../support/sql/sql-nodes.js';
import { anyNode } from '../../../support/sql/sql-trees.js';

const [age, salary, ratio, name] = ['age', 'salary', 'ratio', 'name'].map(column);
const [active, admission, seen, tags] = ['active', 'admission', 'seen', 'tags'].map(column);
const [home, label] = ['home', 'Label'].map(column);

/** The expression to which a node is bound, or the rules that it violates. */
function textOf(node: SqlNode): string {
  const bound = bindScalar(node, testScope);
  const faults = expressionErrors(bound, TEST_TYPES);
  return faults.length === 0 ? expressionText(bound) : faults.join('; ');
}

function messageOf(bind: () => unknown): string {
  try {
    bind();
  } catch (error) {
    if (error instanceof QuarryError && error.code === 6000) return error.message;
    throw error;
  }
  return 'nothing was refused';
}

const BOUND: readonly (readonly [SqlNode, string])[] = [
  // Literals
  [number('19'), '19:integer'],
  [number('1.50'), '150:decimal(2)'],
  [number('.5'), '5:decimal(1)'],
  [number('1e3'), '1000:float'],
  [negative(number('19')), '-19:integer'],
  [negative(number('0e0')), '0:float'],
  [negative(negative(age)), '(negate (negate #0:integer):integer):integer'],
  [string('Ab'), '"Ab":text'],
  [string('Ab', 'double'), '"Ab":text'],
  [string('age', 'double'), '#0:integer'],
  [truth(true), 'true'],
  [nothing, 'null:text'],
  [tags, '#7:json'],
  [home, '#8:json'],
  // Comparisons of numbers: exact, without a cast of the column
  [compare(age, '=', number('19')), '(= #0:integer 19:integer)'],
  [compare(age, '=', string('19')), '(= #0:integer 19:integer)'],
  [compare(string(' 019 '), '<', age), '(> #0:integer 19:integer)'],
  [compare(age, '>', number('1.5')), '(> #0:integer 1:integer)'],
  [compare(age, '>=', string('1.5')), '(> #0:integer 1:integer)'],
  [compare(age, '<', number('1.5')), '(<= #0:integer 1:integer)'],
  [compare(age, '<=', negative(number('1.5'))), '(<= #0:integer -2:integer)'],
  [compare(age, '<=', number('2.00')), '(<= #0:integer 2:integer)'],
  [compare(age, '=', number('1.5')), '(in #0:integer [])'],
  [compare(number('1.5'), '<>', age), '(not-in #0:integer [])'],
  [compare(age, '>', number('1.5e0')), '(> #0:integer 1:integer)'],
  [compare(age, '<', salary), '(< (cast #0:integer):decimal(2) #1:decimal(2))'],
  [compare(salary, '=', number('7')), '(= #1:decimal(2) 700:decimal(2))'],
  [compare(salary, '>', number('7.001')), '(> #1:decimal(2) 700:decimal(2))'],
  [compare(salary, '<', ratio), '(< (cast #1:decimal(2)):float #2:float)'],
  [compare(ratio, '=', number('0.1')), '(= #2:float 0.1:float)'],
  [compare(age, '=', nothing), 'null'],
  // Comparisons of text: case-insensitive
  [compare(name, '=', string('JoãO')), '(= #3:text "joão":text)'],
  [compare(call('upper', name), '=', string('X')), '(= (lower (upper #3:text):text):text "x":text)'],
  [compare(label, '<>', name), '(<> (lower #9:text):text #3:text)'],
  [compare(name, '=', number('0012')), '(= #3:text "0012":text)'],
  [compare(string('A'), '=', string('a')), '(= "a":text "a":text)'],
  [
    compare(choice(null, [[active, string('Yes')]], string('no')), '=', string('YES')),
    '(= (lower (case #4 -> "Yes":text, else "no":text):text):text "yes":text)',
  ],
  [compare(cast(seen, 'text'), '=', name), '(= (lower (cast #6:datetime):text):text #3:text)'],
  [compare(cast(admission, 'text'), '=', name), '(= (cast #5:date):text #3:text)'],
  // Comparisons of dates and truth values
  [compare(admission, '=', string('2017-07-17')), '(= #5:date 17364:date)'],
  [compare(admission, '>=', string('2017-07-17T10:00:00Z')), '(> #5:date 17364:date)'],
  [compare(admission, '=', string('2017-07-17 00:00')), '(= #5:date 17364:date)'],
  [compare(seen, '>', string('2017-07-17')), '(> #6:datetime 1500249600:datetime)'],
  [compare(seen, '>', string('2017-07-17 10:00:00.5+01')), '(> #6:datetime 1500282000:datetime)'],
  [compare(seen, '>', admission), '(> #6:datetime (cast #5:date):datetime)'],
  [compare(active, '=', string('TRUE')), '(= #4 true)'],
  [compare(active, '=', number('0')), '(= #4 false)'],
  // BETWEEN, IN
  [between(age, number('1'), number('2.5')), '(and (>= #0:integer 1:integer) (<= #0:integer 2:integer))'],
  [
    between(admission, string('2017-07-17'), string('2017-07-18T12:00:00Z'), true),
    '(or (< #5:date 17364:date) (> #5:date 17365:date))',
  ],
  [oneOf(age, [number('1'), string('2'), number('2.5'), number('3.0')]), '(in #0:integer [1 2 3])'],
  [oneOf(age, [number('1'), nothing], true), '(not-in #0:integer [1 null])'],
  [oneOf(age, [number('2.5')]), '(in #0:integer [])'],
  [oneOf(age, [number('1'), number('1e0')]), '(in #0:integer [1 1])'],
  [oneOf(name, [string('A'), number('7')]), '(in #3:text ["a" "7"])'],
  [oneOf(label, [string('A')]), '(in (lower #9:text):text ["a"])'],
  [oneOf(admission, [string('2017-07-17'), string('2017-07-17T10:00:00Z')]), '(in #5:date [17364])'],
  [oneOf(number('5'), [string('5.5'), number('5')]), '(in 50:decimal(1) [55 50])'],
  [
    oneOf(age, [number('1'), salary]),
    '(or (in #0:integer [1]) (= (cast #0:integer):decimal(2) #1:decimal(2)))',
  ],
  [oneOf(name, [label, string('A')], true), '(and (not-in #3:text ["a"]) (<> #3:text (lower #9:text):text))'],
  [oneOf(age, [age]), '(= #0:integer #0:integer)'],
  // LIKE
  [like(name, string('%Jo_%')), '(like #3:text "%jo_%")'],
  [like(label, string('A\\%'), null, true), '(not-like (lower #9:text):text "a\\\\%")'],
  [like(name, string('50!%'), '!'), '(like #3:text "50\\\\%" escape "\\\\")'],
  [like(name, string('X%xXa\\'), 'X'), '(like #3:text "\\\\%xa\\\\\\\\" escape "\\\\")'],
  [like(name, nothing), 'null'],
  // Conditions
  [isNull(tags), '(is-null #7:json)'],
  [isNull(age, true), '(is-not-null #0:integer)'],
  [not(active), '(not #4)'],
  [both(active, nothing), '(and #4 null)'],
  [
    either(either(active, truth(false)), either(isNull(age), both(active, active))),
    '(or #4 false (is-null #0:integer) (and #4 #4))',
  ],
  // Arithmetic
  [arithmetic(age, '+', number('1')), '(+ #0:integer 1:integer):integer'],
  [arithmetic(age, '-', number('1.25')), '(- (cast #0:integer):decimal(2) 125:decimal(2)):decimal(2)'],
  [
    arithmetic(salary, '+', number('1.125')),
    '(+ (cast #1:decimal(2)):decimal(3) 1125:decimal(3)):decimal(3)',
  ],
  [arithmetic(salary, '*', number('1.125')), '(* #1:decimal(2) 1125:decimal(3)):decimal(5)'],
  [arithmetic(age, '*', salary), '(* #0:integer #1:decimal(2)):decimal(2)'],
  [arithmetic(age, '*', ratio), '(* (cast #0:integer):float #2:float):float'],
  [arithmetic(age, '/', number('2')), '(/ (cast #0:integer):float 2:float):float'],
  [arithmetic(salary, '%', number('2')), '(% #1:decimal(2) 200:decimal(2)):decimal(2)'],
  [arithmetic(age, '+', string('2')), '(+ #0:integer 2:integer):integer'],
  [arithmetic(age, '+', nothing), '(+ #0:integer null:integer):integer'],
  [arithmetic(nothing, '+', nothing), '(+ null:integer null:integer):integer'],
  [
    arithmetic(arithmetic(name, '||', string(' B ')), '||', age),
    '(concat-strict #3:text " B ":text (cast #0:integer):text):text',
  ],
  [arithmetic(name, '+', label), '(concat-strict #3:text #9:text):text'],
  [arithmetic(admission, '+', number('7')), '(date-add day 7:integer #5:date):date'],
  [arithmetic(seen, '-', age), '(date-add day (negate #0:integer):integer #6:datetime):datetime'],
  [arithmetic(string('2017-07-18'), '-', admission), '(date-diff day #5:date 17365:date):integer'],
  // CASE
  [
    choice(null, [[compare(age, '>', number('19')), string('Adult')]], string('child')),
    '(case (> #0:integer 19:integer) -> "Adult":text, else "child":text):text',
  ],
  [
    choice(name, [
      [string('A'), number('1')],
      [label, number('2.5')],
    ]),
    '(case (= #3:text "a":text) -> 10:decimal(1), (= #3:text (lower #9:text):text) -> 25:decimal(1)):decimal(1)',
  ],
  [choice(null, [[active, nothing]], admission), '(case #4 -> null:date, else #5:date):date'],
  // CAST
  [cast(age, 'varchar', 10), '(left (cast #0:integer):text 10:integer):text'],
  [cast(name, 'decimal', 10, 2), '(cast #3:text):decimal(2)'],
  [cast(name, 'int', null, null, true), '(try-cast #3:text):integer'],
  [cast(string('x'), 'int', null, null, true), 'null:integer'],
  [cast(string('2.5'), 'int'), '3:integer'],
  [cast(string('1e3'), 'int'), '(cast "1e3":text):integer'],
  [cast(string(`0.${'3'.repeat(50)}`), 'decimal', 9, 1), `(cast "0.${'3'.repeat(50)}":text):decimal(1)`],
  [cast(negative(number('2.5')), 'int'), '-3:integer'],
  [cast(number('1'), 'decimal'), '1000:decimal(3)'],
  [cast(number('2.449'), 'decimal', 5, 1), '24:decimal(1)'],
  [cast(string('2017-07-17 10:00'), 'date'), '17364:date'],
  [cast(admission, 'timestamp'), '(cast #5:date):datetime'],
  [cast(seen, 'date'), '(cast #6:datetime):date'],
  [cast(salary, 'bit'), '(<> #1:decimal(2) 0:decimal(2))'],
  [cast(active, 'double'), '(cast (cast #4):integer):float'],
  [cast(age, 'integer'), '#0:integer'],
  [cast(nothing, 'date'), 'null:date'],
  // Functions that the scope resolves
  [arithmetic(call('total', age), '*', number('2')), '(* #1:decimal(2) 2:integer):decimal(2)'],
];

t.test('expressions are bound with types, casts and letter case', async (t) => {
  for (const [node, expected] of BOUND) t.equal(textOf(node), expected, expected);
});

const REFUSED: readonly (readonly [SqlNode, string])[] = [
  [column('agee'), 'there is no column agee'],
  [star, '* is allowed only as a column of SELECT and in COUNT(*)'],
  [
    number('123456789012345678901234567890123456789'),
    'the number "123456789012345678901234567890123456789" has more than 38 digits',
  ],
  [number('1e999'), 'the number "1e999" is too large for a float'],
  [compare(name, '=', age), "text and integer have no common type; CAST one of them to the other's type"],
  [
    compare(name, '<', number('5')),
    "text and integer have no common type; CAST one of them to the other's type",
  ],
  [
    compare(name, '=', number('5.5')),
    "text and decimal(1) have no common type; CAST one of them to the other's type",
  ],
  [compare(age, '=', string('x')), '"x" cannot be read as integer'],
  [compare(admission, '<', string('2017-02-29')), '"2017-02-29" cannot be read as date'],
  [
    compare(seen, '<', number('5')),
    "datetime and integer have no common type; CAST one of them to the other's type",
  ],
  [
    compare(active, '=', number('2')),
    "boolean and integer have no common type; CAST one of them to the other's type",
  ],
  [compare(tags, '=', string('a')), 'a list of values can only be selected or tested with IS NULL'],
  [call('length', tags), 'a list of values can only be selected or tested with IS NULL'],
  [isNull(home), 'geolocation queries are not available through SQL'],
  [call('coalesce', home, string('x')), 'geolocation queries are not available through SQL'],
  [oneOf(age, [string('x')]), '"x" cannot be read as integer'],
  [oneOf(age, [name]), "integer and text have no common type; CAST one of them to the other's type"],
  [like(age, string('1%')), 'LIKE compares text, not integer; CAST it AS text'],
  [like(name, age), 'LIKE takes a text as its pattern, not integer'],
  [like(name, string('a!'), '!'), 'the pattern ends with its ESCAPE character'],
  [like(name, string('a'), '!!'), 'ESCAPE takes one character'],
  [not(age), 'a condition, which is true or false, is required here, not integer'],
  [both(active, name), 'a condition, which is true or false, is required here, not text'],
  [arithmetic(active, '+', number('1')), '+ takes numbers, not boolean'],
  [arithmetic(name, '*', number('2')), '* takes numbers, not text'],
  [arithmetic(age, '+', string('x')), '"x" cannot be read as integer'],
  [arithmetic(admission, '+', admission), 'two dates cannot be added'],
  [arithmetic(number('1'), '-', admission), 'a date cannot be subtracted from a number'],
  [
    arithmetic(admission, '+', number('1.5')),
    'only whole days can be added to a date, not decimal(1); see DATEADD',
  ],
  [
    arithmetic(cast(age, 'decimal', 38, 20), '*', cast(age, 'decimal', 38, 19)),
    'the product has 39 decimal places, more than 38; CAST to fewer',
  ],
  [negative(name), '- takes numbers, not text'],
  [choice(null, [[age, number('1')]]), 'a condition, which is true or false, is required here, not integer'],
  [
    choice(null, [[active, age]], name),
    "integer and text have no common type; CAST one of them to the other's type",
  ],
  [cast(age, 'date'), 'integer cannot be CAST as date'],
  [cast(age, 'blob'), 'there is no type "blob"'],
  [
    cast(age, 'decimal', 39, 2),
    'a decimal has digits (precision, scale): precision 1 to 38, scale 0 to the precision',
  ],
  [
    cast(age, 'decimal', 3, 4),
    'a decimal has digits (precision, scale): precision 1 to 38, scale 0 to the precision',
  ],
  [cast(string('x'), 'int'), '"x" cannot be read as integer'],
  [
    compare(cast(age, 'decimal', 38, 38), '=', number('5')),
    'the number has more than 38 digits as decimal(38)',
  ],
];

t.test('an expression that cannot be bound is refused with the reason', async (t) => {
  for (const [node, expected] of REFUSED) {
    t.equal(
      messageOf(() => bindScalar(node, testScope)),
      expected,
      expected,
    );
  }
});

t.test('a condition is a truth value, and NULL in its place is a missing truth value', async (t) => {
  t.equal(expressionText(bindCondition(active, testScope)), '#4');
  t.equal(expressionText(bindCondition(nothing, testScope)), 'null');
  t.equal(
    messageOf(() => bindCondition(age, testScope)),
    'a condition, which is true or false, is required here, not integer',
  );
});

t.test('an error has a position and a suggestion', async (t) => {
  const position = { line: 3, column: 14 };
  const node: SqlNode = {
    is: 'call',
    name: 'uper',
    args: [name],
    distinct: false,
    position,
    parenthesized: false,
  };
  t.throws(() => bindScalar(call('lower', node), testScope), {
    code: 6000,
    moreInfo: { message: 'there is no function "uper"', line: 3, column: 14, suggestion: 'UPPER' },
  });
});

t.test('any tree is bound to a well-formed expression or refused with 6000', async (t) => {
  const seed = 424_242;
  const prng = new Prng(seed);
  let bound = 0;
  for (let round = 0; round < 20_000; round++) {
    const node = anyNode(prng, 1 + prng.below(4));
    try {
      const expression = bindScalar(node, testScope);
      const faults = expressionErrors(expression, TEST_TYPES);
      if (faults.length > 0) t.strictSame(faults, [], `${JSON.stringify(node)} (seed ${seed})`);
      bound++;
    } catch (error) {
      if (error instanceof QuarryError && error.code === 6000) continue;
      t.fail(`${JSON.stringify(node)} (seed ${seed}): ${String(error)}`);
    }
  }
  t.ok(bound > 4_000, `${bound} were bound`);
});

/** Three rows of the test's columns: usual values, unusual values, missing values. */
const ROWS: readonly (readonly [Value, Value, Value])[] = [
  [19n, -9_223_372_036_854_775_808n, null],
  [235_050n, 9_223_372_036_854_775_807n, null],
  [0.5, -1e300, null],
  ['joao', '', null],
  [true, false, null],
  [17_364n, -719_528n, null],
  [1_500_249_600n, 253_402_300_799n, null],
  ['["a"]', '[]', null],
  ['[1,2]', '[0,0]', null],
  ['Joao X', '%_ß\u{1f600}', null],
];

const rowsOf = (row: number) => ({
  count: 1,
  input: (index: number) => vectorOf(TEST_TYPES[index], [ROWS[index][row]]),
});

t.test('a bound expression can be evaluated or is refused with 6000, in every row', async (t) => {
  const seed = 242_424;
  const prng = new Prng(seed);
  const work = (expression: Expression): number => {
    let answered = 0;
    for (let row = 0; row < 3; row++) {
      try {
        const vector = compile(expression)(rowsOf(row));
        const { type } = expression;
        if (vector.kind !== vectorKindOf(type) || vector.count !== 1)
          throw new Error(`a ${vector.kind} vector`);
        vectorOf(type, [valueAt(vector, 0)]);
        answered++;
      } catch (error) {
        if (!(error instanceof QuarryError) || error.code !== 6000) throw error;
      }
    }
    return answered;
  };
  let answered = 0;
  for (let round = 0; round < 20_000; round++) {
    const node = anyNode(prng, 1 + prng.below(4));
    try {
      answered += work(bindScalar(node, testScope));
    } catch (error) {
      if (error instanceof QuarryError && error.code === 6000) continue;
      t.fail(`${JSON.stringify(node)} (seed ${seed}): ${String(error)}`);
    }
  }
  t.ok(answered > 10_000, `${answered} values`);
});
