import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { compile } from '../../../src/expression/index.js';
import type { Expression, ScalarFunction } from '../../../src/ir/index.js';
import { Texts, type TextVector, type Value, valueAt } from '../../../src/vector/index.js';
import { openPostgresValues } from '../../support/sql/postgres-values.js';
import { differences } from '../../support/sql/same-as-postgres.js';
import { quotedSql } from '../../support/sql/sql-value.js';
import { constant } from '../generate.js';
import { INTEGER, TEXT } from '../rows.js';

const SEED = 26_11;
const TEXTS = [
  '',
  'a',
  'abc',
  'a,b,,c',
  ',,',
  'Thomas',
  "hello WORLD o'neill",
  'ñandú 日本 😀x',
  'ab--cd--',
  '---',
  'x1y2 éa',
];

/** Expressions whose values are the examples of PostgreSQL's documentation, and the edges of each function. */
const EXPRESSIONS: readonly string[] = [
  "split_part('abc~@~def~@~ghi', '~@~', 2)",
  "split_part('abc,def,ghi,jkl', ',', -2)",
  "split_part('abc', ',', 0)",
  "split_part('abc', '', 1)",
  "split_part('abc', '', -1)",
  "split_part('abc', '', 2)",
  "split_part('----', '---', -1)",
  "split_part('a,b', NULL, 1)",
  "concat_ws(',', 'abcde', 2, NULL, 22)",
  "concat_ws(NULL, 'a', 'b')",
  "concat_ws(',', NULL, NULL)",
  "concat_ws('', 'a', 'b')",
  "concat_ws(', ', '', 'b')",
  "translate('12345', '143', 'ax')",
  "translate('aab', 'aa', 'xy')",
  "initcap('hi THOMAS')",
  "initcap('o''neill-smith 3rd x_y')",
  "initcap('éa ÀB')",
  'chr(65)',
  'chr(128512)',
  'chr(0)',
  'chr(-1)',
  'chr(1114112)',
  'chr(55296)',
  "ascii('x')",
  "ascii('')",
  "ascii('😀')",
  "overlay('Txxxxas' placing 'hom' from 2 for 4)",
  "overlay('Txxxxas' placing 'hom' from 2)",
  "overlay('abc' placing '😀x' from 5)",
  "overlay('abcdef' placing 'X' from 3 for -1)",
  "overlay('abcdef' placing 'X' from 2 for 0)",
  "overlay('abcdef' placing 'X' from 0)",
  "octet_length('josé')",
  "octet_length('')",
  "md5('abc')",
  "md5('ñ😀')",
  "encode(sha256('abc'), 'hex')",
  "encode('Hello', 'nothing')",
  "quote_ident('Foo bar')",
  "quote_ident('foo_1')",
  "quote_ident('select')",
  "quote_ident('a\"b')",
  "quote_literal('O''Reilly')",
  "quote_literal('a\\b')",
  'quote_literal(42.5)',
  'quote_literal(NULL)',
  'quote_nullable(NULL)',
  "format('Hello %s, %1$s', 'World')",
  "format('Testing %s, %s, %s, %%', 'one', 'two', 'three')",
  "format('INSERT INTO %I VALUES(%L)', 'Foo bar', 'O''Reilly')",
  "format('INSERT INTO %I VALUES(%L)', 'locations', 'C:\\Program Files')",
  "format('|%10s|', 'foo')",
  "format('|%-10s|', 'foo')",
  "format('|%*s|', 10, 'foo')",
  "format('|%*s|', -10, 'foo')",
  "format('|%-*s|', 10, 'foo')",
  "format('|%-*s|', -10, 'foo')",
  "format('|%*2$s|', 'foo', 10, 'bar')",
  "format('|%1$*2$s|', 'foo', 10, 'bar')",
  "format('Testing %3$s, %2$s, %1$s', 'one', 'two', 'three')",
  "format('Testing %3$s, %2$s, %s', 'one', 'two', 'three')",
  "format('%s|%L', NULL, NULL)",
  "format('%I', NULL)",
  "format(NULL, 'a')",
  "format('%s')",
  "format('%d', 1)",
  "format('100%')",
  "format('%0$s', 'a')",
  "'abc' LIKE 'a' || '%'",
  "'a%c' LIKE concat('a!', '%c') ESCAPE '!'",
  "'abc' LIKE concat('a!', '%c') ESCAPE '!'",
  "'a😀c' LIKE concat('a', '_c')",
  "'abc' LIKE concat('a!') ESCAPE '!'",
  "'abc' NOT LIKE concat('%', 'b', '%')",
  "'abc' LIKE concat(NULL, '')",
];

/** ENCODE and DECODE take bytes in PostgreSQL. */
const OF_BYTES: readonly (readonly [string, string])[] = [
  ["encode('abc é', 'base64')", "encode(convert_to('abc é', 'UTF8'), 'base64')"],
  [`encode('${'abc'.repeat(50)}', 'base64')`, `encode('${'abc'.repeat(50)}', 'base64')`],
  ["encode('é', 'hex')", "encode(convert_to('é', 'UTF8'), 'hex')"],
  ["encode('é\\x', 'escape')", "encode(convert_to('é\\x', 'UTF8'), 'escape')"],
  ["decode('w6k=', 'base64')", "convert_from(decode('w6k=', 'base64'), 'UTF8')"],
  ["decode('w6k', 'base64')", "convert_from(decode('w6k', 'base64'), 'UTF8')"],
  ["decode('C3a9', 'hex')", "convert_from(decode('C3a9', 'hex'), 'UTF8')"],
  ["decode('c3a', 'hex')", "convert_from(decode('c3a', 'hex'), 'UTF8')"],
  ["decode('ff', 'hex')", "convert_from(decode('ff', 'hex'), 'UTF8')"],
  ["decode('\\303\\251\\\\', 'escape')", "convert_from(decode('\\303\\251\\\\', 'escape'), 'UTF8')"],
  ["decode('\\30', 'escape')", "convert_from(decode('\\30', 'escape'), 'UTF8')"],
];

function generated(): string[] {
  const random = new Prng(SEED);
  const text = (): string => quotedSql(random.pick(TEXTS));
  const short = (): string => quotedSql(random.pick(['', ',', '-', '--', 'a', 'o', '😀', 'ab']));
  const count = (): string => String(random.between(-4, 6));
  return Array.from({ length: 400 }, () => {
    switch (random.below(7)) {
      case 0:
        return `split_part(${text()}, ${short()}, ${count()})`;
      case 1:
        return `concat_ws(${short()}, ${text()}, ${random.chance(0.3) ? 'NULL' : text()}, ${text()})`;
      case 2:
        return `translate(${text()}, ${short()} || ${short()}, ${short()})`;
      case 3:
        return `initcap(${text()})`;
      case 4:
        return `overlay(${text()} placing ${short()} from ${count()} for ${count()})`;
      case 5:
        return `md5(${text()} || ${short()})`;
      default:
        return `format('%${random.pick(['', '2$', '1$'])}${random.pick(['', '-'])}${random.pick(['', '7', '2'])}${random.pick(['s', 'I', 'L'])}', ${text()}, ${short()})`;
    }
  });
}

t.test('functions of texts return what PostgreSQL returns', async (t) => {
  const postgres = await openPostgresValues();
  t.teardown(() => postgres.close());
  t.strictSame(await differences(postgres, EXPRESSIONS), []);
  t.strictSame(await differences(postgres, OF_BYTES), []);
  t.strictSame(await differences(postgres, generated()), [], `seed ${SEED}`);
});

/** Evaluates the call over a dictionary-coded column, whose texts repeat and may be missing, three times. */
function overDictionary(name: ScalarFunction, args: readonly Expression[]): Value[] {
  const texts = Texts.ofStrings(['a-b', '', 'c-d-e'], true);
  const codes = Uint32Array.from([0, 1, 2, 0, 2]);
  const column: TextVector = { kind: 'text', count: 5, valid: Uint8Array.of(1, 1, 1, 0, 1), codes, texts };
  const evaluate = compile({ op: 'call', type: TEXT, name, args, unit: null });
  const vectors = [1, 2, 3].map(() => evaluate({ count: 5, input: () => column }));
  const rows = vectors.map((vector) => Array.from({ length: 5 }, (_, row) => valueAt(vector, row)));
  t.strictSame(rows[0], rows[2], `${name} by text`);
  return rows[0];
}

t.test(
  'functions of a column are the same by row and by text, and missing values stay missing',
  async (t) => {
    const input: Expression = { op: 'input', type: TEXT, input: 0 };
    const text = (value: string | null): Expression => constant(TEXT, value);
    t.strictSame(overDictionary('split-part', [input, text('-'), constant(INTEGER, 2n)]), [
      'b',
      '',
      'd',
      null,
      'd',
    ]);
    t.strictSame(overDictionary('concat-separated', [text('+'), input, text('x')]), [
      'a-b+x',
      '+x',
      'c-d-e+x',
      'x',
      'c-d-e+x',
    ]);
    t.strictSame(overDictionary('format', [text('<%s>'), input]), [
      '<a-b>',
      '<>',
      '<c-d-e>',
      '<>',
      '<c-d-e>',
    ]);
    t.strictSame(overDictionary('quote-nullable', [input]), ["'a-b'", "''", "'c-d-e'", 'NULL', "'c-d-e'"]);
    t.strictSame(overDictionary('concat-separated', [input, text('x'), text('y')]), [
      'xa-by',
      'xy',
      'xc-d-ey',
      null,
      'xc-d-ey',
    ]);
  },
);
