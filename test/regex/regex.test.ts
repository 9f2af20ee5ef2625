import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { Regex } from '../../src/regex/index.js';
import { openPostgresValues } from '../support/sql/postgres-values.js';
import { differences } from '../support/sql/same-as-postgres.js';
import { quotedSql, valueOfSql } from '../support/sql/sql-value.js';

const SEED = 4_711;

/** Examples of PostgreSQL's documentation, and edges of positions, options and empty matches. */
const EXPRESSIONS: readonly string[] = [
  "'Thomas' ~ 't.*ma'",
  "'Thomas' ~* 'T.*ma'",
  "'Thomas' !~ 't.*max'",
  "'Thomas' !~* 'T.*ma'",
  "NOT 'Thomas' ~ 'T' || 'x'",
  "'abcd' ~ 'bc'",
  "'abcd' ~ '^(b|c)'",
  "'abc' ~ NULL",
  "'abc' SIMILAR TO 'abc'",
  "'abc' SIMILAR TO 'a'",
  "'abc' SIMILAR TO '%(b|d)%'",
  "'abc' NOT SIMILAR TO '(b|c)%'",
  "'a.c' SIMILAR TO 'a.c'",
  "'axc' SIMILAR TO 'a.c'",
  "'a%c' SIMILAR TO 'a#%c' ESCAPE '#'",
  "'a1b' SIMILAR TO 'a[0-9]{1,2}_'",
  "'abc' SIMILAR TO 'a_'",
  "regexp_replace('foobarbaz', 'b..', 'X')",
  "regexp_replace('foobarbaz', 'b..', 'X', 'g')",
  "regexp_replace('foobarbaz', 'b(..)', 'X\\1Y', 'g')",
  "regexp_replace('A PostgreSQL function', 'a|e|i|o|u', 'X', 1, 0, 'i')",
  "regexp_replace('A PostgreSQL function', 'a|e|i|o|u', 'X', 1, 3, 'i')",
  "regexp_replace('abc', 'b*', 'X', 'g')",
  "regexp_replace('abc', '', '-', 'g')",
  "regexp_replace('a😀c', '', '-', 'g')",
  "regexp_replace('abc', '(x)?b', '[\\1\\&\\\\]', 'g')",
  "regexp_replace('abc', 'b', 'x', 5)",
  "regexp_replace('abc', '$', 'x', 4)",
  "regexp_replace('abc', 'b', 'x', 0)",
  "regexp_count('ABCABCAXYaxy', 'A.')",
  "regexp_count('ABCABCAXYaxy', 'A.', 1, 'i')",
  "regexp_count('abc', '')",
  "regexp_instr('ABCDEF', 'c(.)(..)', 1, 1, 0, 'i')",
  "regexp_instr('ABCDEF', 'c(.)(..)', 1, 1, 0, 'i', 2)",
  "regexp_instr('number of your street, town zip, FR', '[^,]+', 1, 2)",
  "regexp_instr('a😀b', 'b', 1, 1, 1)",
  "regexp_instr('abc', 'x')",
  "regexp_substr('ABCDEF', 'c(.)(..)', 1, 1, 'i')",
  "regexp_substr('ABCDEF', 'c(.)(..)', 1, 1, 'i', 2)",
  "regexp_substr('number of your street, town zip, FR', '[^,]+', 1, 2)",
  "regexp_substr('abc', 'x')",
  "regexp_substr('foobar', 'foo|foobar')",
  "regexp_substr('XY1234Z', 'Y*([0-9]{1,3})')",
  "regexp_like('Hello World', 'world$', 'i')",
  "regexp_like('abc', 'a', 'g')",
  "regexp_like('abc', 'a', 'k')",
  "'a' || chr(10) || 'b' ~ 'a.b'",
  "regexp_like('a' || chr(10) || 'b', 'a.b', 'n')",
  "regexp_like('a' || chr(10) || 'b', '^b$', 'n')",
  "regexp_like('a' || chr(10) || 'b', '^b$')",
  "regexp_like('a' || chr(10) || 'b', 'a[^x]b', 'n')",
  "regexp_like('a' || chr(10) || 'b', '^b$', 'p')",
  "regexp_like('a' || chr(10) || 'b', '^b$', 'w')",
  "regexp_like('ab', 'a b # c', 'x')",
  "regexp_like('a.b', 'a.b', 'q')",
  "'aXb' ~ '***=X'",
  "'aXb' ~ '(?i)x'",
  "'été 3' ~ '^\\w+ \\d$'",
  "'foo bar' ~ '\\mbar'",
  "'foobar' ~ '\\mbar'",
  "'foo bar' ~ 'foo\\M'",
  "'a]b' ~ 'a[]x]b'",
  "'a-b' ~ 'a[x-]b'",
  "'a\\b' ~ 'a[\\\\]b'",
  "'x1' ~ '^[[:alpha:]][[:digit:]]$'",
  "'a{b' ~ 'a{b'",
  "'aaa' ~ '^a{2,3}$'",
  "'a' ~ 'a**'",
  "'a' ~ '('",
  "'a' ~ '[a'",
  "'a' ~ '[[:nothing:]]'",
  "'Straße' ~* 'STRASSE'",
];

function generated(count: number): string[] {
  const random = new Prng(SEED);
  const atom = (): string =>
    random.pick(['a', 'b', 'ab', '.', '[ab]', '[^a]', '(a|b)', '(?:ab|a)', 'é', '\\d', '\\w', 'c']);
  const quantifier = (): string => random.pick(['', '', '', '*', '+', '?', '{1,2}', '{2}']);
  const pattern = (): string => {
    const parts = Array.from({ length: random.between(1, 4) }, () => atom() + quantifier()).join('');
    return random.pick(['', '', '^']) + parts + random.pick(['', '', '$', '|b']);
  };
  const text = (): string =>
    Array.from({ length: random.below(9) }, () => random.pick(['a', 'b', 'c', 'é', '1', '😀', ' '])).join('');
  return Array.from({ length: count }, () => {
    const [subject, regex] = [quotedSql(text()), quotedSql(pattern())];
    switch (random.below(5)) {
      case 0:
        return `${subject} ~ ${regex}`;
      case 1:
        return `regexp_replace(${subject}, ${regex}, '<\\&>', 'g')`;
      case 2:
        return `regexp_count(${subject}, ${regex}, ${random.between(1, 4)})`;
      case 3:
        return `regexp_substr(${subject}, ${regex}, ${random.between(1, 3)}, ${random.between(1, 3)})`;
      default:
        return `regexp_instr(${subject}, ${regex}, 1, ${random.between(1, 3)}, ${random.below(2)})`;
    }
  });
}

t.test('regular expressions return what PostgreSQL returns', async (t) => {
  const postgres = await openPostgresValues();
  t.teardown(() => postgres.close());
  t.strictSame(await differences(postgres, EXPRESSIONS), []);
  t.strictSame(await differences(postgres, generated(600)), [], `seed ${SEED}`);
});

t.test('REGEXP_EXTRACT returns an empty text without a match', async (t) => {
  t.equal(valueOfSql("regexp_extract('abc-12', '([a-z]+)-(\\d+)', 2)"), '12');
  t.equal(valueOfSql("regexp_extract('abc', 'x')"), '');
  t.equal(valueOfSql("regexp_extract('abc', NULL)"), null);
});

t.test('patterns that linear time or RE2 exclude are refused', async (t) => {
  const why = (pattern: string): unknown => valueOfSql(`'a' ~ ${quotedSql(pattern)}`);
  t.match(why('(a)\\1'), { refused: /back references/ });
  t.match(why('(?=a)'), { refused: /look-ahead/ });
  t.match(why('(?<!a)b'), { refused: /look-ahead/ });
  t.match(why('\\bfoo'), { refused: /\\y/ });
  t.match(why('a\\k'), { refused: /unknown escape/ });
  t.match(why(`${'(a{100}){100}'}`), { refused: /not valid|too large/ });
  t.match(why('a'.repeat(1_001)), { refused: /1,000 characters/ });
  t.match(why('\\w'.repeat(41)), { refused: /40 classes/ });
  t.equal(why('\\w'.repeat(40)), false);
  t.match(why(`${'('.repeat(499)}a${')'.repeat(499)}b`), false);
  t.match(why(`${'('.repeat(500)}a`), { refused: /not valid/ });
  const many = Array.from({ length: 101 }, () => "'a' ~ 'b'").join(' OR ');
  t.match(valueOfSql(many), { refused: /more than 100000 words/ });
  t.match(valueOfSql(`'a' COLLATE "de_DE"`), { refused: /only collation/ });
  t.equal(valueOfSql(`'a' COLLATE "C" < 'b' COLLATE pg_catalog.[default]`), true);
});

t.test('patterns that are slow with backtracking end in time, or are refused for long texts', async (t) => {
  const long = 'a'.repeat(100_000);
  for (const pattern of ['(a+)+$', '(a|aa)+b', '(a*)*b', '(.*)(.*)(.*)(.*)x', '(a|b)*a(a|b){20}c']) {
    const regex = new Regex(pattern);
    t.equal(regex.test(long), pattern === '(a+)+$', pattern);
  }
  t.throws(() => new Regex('[ab]{900}').search('a'.repeat(1_000_000)), { code: 6000 });
});
