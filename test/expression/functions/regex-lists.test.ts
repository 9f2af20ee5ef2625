/** Functions of regular expressions that return lists, and functions of JSON and bits, with PostgreSQL as the judge. */
import { PGlite } from '@electric-sql/pglite';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { quotedSql, valueOfSql } from '../../support/sql/sql-value.js';

const SEED = 22_07;
t.comment(`seed ${SEED}`);

const TEXTS = [
  '',
  'a',
  'foobarbequebaz',
  'the quick brown fox',
  'a,b;;c',
  ' x  y ',
  'aaa',
  'Ärger mit 日本',
  'a\nb',
];
const PATTERNS = [
  ...[
    'b',
    '(b[^b]+)(b[^b]+)',
    '(bar)(x)?',
    'b*',
    '\\s*',
    '\\s+',
    '',
    '[,;]',
    '^',
    '$',
    'a|',
    '(a)|(b)',
    '.',
    'a*?',
  ],
  ...['(?i)ä', '\\w+', '(^.)|(.$)', 'x*y'],
];

/** The JSON text of PostgreSQL's value of an expression. */
async function judged(postgres: PGlite, expression: string): Promise<unknown> {
  const { rows } = await postgres.query<{ v: unknown }>(`SELECT to_json(${expression})::text AS v`);
  return rows[0].v === null ? null : JSON.parse(String(rows[0].v));
}

/** The value as JSON, which expressions of type json return as text. */
function found(expression: string): unknown {
  const value = valueOfSql(`to_json(${expression})`);
  return typeof value === 'string' ? JSON.parse(value) : value;
}

t.test('lists of matches and parts are those of PostgreSQL', async (t) => {
  const postgres = await PGlite.create();
  t.teardown(() => postgres.close());
  const random = new Prng(SEED);
  const own = Array.from({ length: 40 }, () =>
    Array.from({ length: random.below(8) }, () => random.pick(['a', 'b', ' ', ',', '日'])).join(''),
  );
  const wrong: string[] = [];
  const check = async (expression: string, theirs = expression): Promise<void> => {
    const [expected, actual] = [await judged(postgres, theirs), found(expression)];
    // A missing value is null in to_json.
    if (JSON.stringify(actual) !== JSON.stringify(expected)) {
      wrong.push(`${expression}: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`);
    }
  };
  for (const text of [...TEXTS, ...own]) {
    for (const pattern of own.includes(text) ? [random.pick(PATTERNS)] : PATTERNS) {
      const args = `${quotedSql(text)}, ${quotedSql(pattern)}`;
      await check(`regexp_match(${args})`);
      await check(`regexp_split_to_array(${args})`);
      await check(`regexp_split_to_array(${args}, 'i')`);
    }
  }
  t.strictSame(wrong, []);
  t.match(valueOfSql("regexp_match('a', 'a', 'g')"), { refused: /REGEXP_MATCH does not take the option g/ });
  t.match(valueOfSql("regexp_split_to_array('a', 'a', 'g')"), { refused: /does not take the option g/ });
});

t.test('types and members of JSON, and digits of bits, are those of PostgreSQL', async (t) => {
  const postgres = await PGlite.create();
  t.teardown(() => postgres.close());
  const json = quotedSql('{"a": [1, {"b": "x\\"y"}, null, 1.50], "1": true, "": {"c": 2}}');
  const expressions = [
    ...['{}', '[1]', '"x"', '-1.5e3', 'true', 'false', 'null', ' [ ]'].map((of) => `json_typeof('${of}')`),
    ...[
      "'a'",
      "'a', '0'",
      "'a', '-1'",
      "'a', '1', 'b'",
      "'a', '2'",
      "'a', 'x'",
      "'a', '9'",
      "'1'",
      "'1', '0'",
    ]
      .concat("''", "'', 'c'", "'a', NULL", "'nothing'", "'a', ' 1'", "'a', '1.0'", "'$.a'")
      .map((path) => `json_extract_path_text(${json}, ${path})`),
    `json_extract_path_text('[[1,2],[3]]', '1', '0')`,
    ...['0', '255', '9223372036854775807', '-9223372036854775808', '-1'].flatMap((of) =>
      ['to_hex', 'to_oct', 'to_bin'].map((name) => `${name}(CAST(${of} AS bigint))`),
    ),
  ];
  for (const expression of expressions) {
    const theirs = expression.replace(/^(json_\w+\()('(?:[^']|'')*')/, '$1$2::json');
    const { rows } = await postgres.query<{ v: unknown }>(`SELECT (${theirs})::text AS v`);
    t.equal(valueOfSql(expression), rows[0].v, expression);
  }
  t.match(valueOfSql('to_hex(9223372036854775808)'), { refused: /more than 64 bits/ });
});
