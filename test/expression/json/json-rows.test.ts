import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { jsonArrayLength, jsonAt, readJsonPath } from '../../../src/schema/index.js';
import { quotedSql, valueOfSql } from '../../support/sql/sql-value.js';

const SEED = 26_16;
t.comment(`seed ${SEED}`);

const KEYS = ['a', 'b c', '"', '日', ''];

function generated(random: Prng, depth: number): unknown {
  const scalars = [null, true, false, 0, -1.5, 1e21, 'x', '], }', 'a"b\\', '日本', ''];
  if (depth === 0 || random.chance(0.3)) return random.pick(scalars);
  const members = Array.from({ length: random.below(4) }, () => generated(random, depth - 1));
  if (random.chance(0.5)) return members;
  return Object.fromEntries(members.map((value) => [random.pick(KEYS), value]));
}

t.test('values inside JSON are those of JSON.parse, with and without blanks', async (t) => {
  const random = new Prng(SEED);
  const wrong: string[] = [];
  for (let round = 0; round < 3_000; round++) {
    const value = generated(random, 4);
    const text = JSON.stringify(value, null, random.chance(0.5) ? 2 : undefined);
    let expected: unknown = value;
    const path = Array.from({ length: random.below(4) }, () => {
      const step = random.chance(0.5) ? random.between(-3, 3) : random.pick(KEYS);
      const isList = Array.isArray(expected) && typeof step === 'number';
      const isObject = typeof expected === 'object' && expected !== null && !Array.isArray(expected);
      if (isList) expected = (expected as unknown[]).at(step);
      else if (isObject && typeof step === 'string' && Object.hasOwn(expected as object, step)) {
        expected = (expected as Record<string, unknown>)[step];
      } else expected = undefined;
      return step;
    });
    const found = jsonAt(text, path);
    const same =
      found === null
        ? expected === undefined
        : JSON.stringify(JSON.parse(found)) === JSON.stringify(expected);
    if (!same) wrong.push(`${text} at ${JSON.stringify(path)}: ${found}`);
    const length = Array.isArray(value) ? value.length : null;
    if (jsonArrayLength(text) !== length) wrong.push(`${text} has ${jsonArrayLength(text)} items`);
  }
  t.strictSame(wrong.slice(0, 5), []);
});

t.test('paths are keys, indexes, or begin with $', async (t) => {
  t.strictSame(readJsonPath('$.a[0]."b c".d'), ['a', 0, 'b c', 'd']);
  t.strictSame(readJsonPath('$'), []);
  t.strictSame(readJsonPath('-1'), [-1]);
  t.strictSame(readJsonPath('a.b'), ['a.b']);
  for (const text of ['$.', '$[x]', '$a', '$[0', '$..a']) t.equal(readJsonPath(text), null, text);
});

t.test('functions and operators of JSON', async (t) => {
  const json = quotedSql('{"a": [1, 12345678901234567890.50, {"b": "X\\"y"}, null], "c": "z"}');
  const cases: readonly (readonly [string, unknown])[] = [
    [`json_extract(${json}, '$.a[1]')`, '12345678901234567890.50'],
    [`${json} -> 'a' -> 2 ->> 'b'`, 'X"y'],
    [`${json} ->> 'c'`, 'z'],
    [`${json} -> 'c'`, '"z"'],
    [`${json} ->> '$.a[3]'`, null],
    [`${json} -> '$.a[3]'`, 'null'],
    [`json_array_length(${json} -> 'a')`, 4n],
    [`json_array_length(${json})`, null],
    [`json_extract(${json}, '$.nothing')`, null],
    [`'{"5": "key"}' ->> '5'`, 'key'],
    [`'{"5": "key"}' ->> 5`, null],
    [`'[1, 2]' ->> '1'`, '2'],
    [`'[1, 2]' ->> -1`, '2'],
    ["json_build_array(1, 'x', NULL, true, 1.5)", '[1,"x",null,true,1.5]'],
    ["json_build_object('a', 1, 'b', json_array_length('[1,2]'))", '{"a":1,"b":2}'],
    ['json_build_array()', '[]'],
    ["to_json(INTERVAL '1 day')", '"1 day"'],
  ];
  for (const [sql, expected] of cases) t.equal(valueOfSql(sql), expected, sql);
  t.match(valueOfSql('json_build_object(NULL, 1)'), { refused: /cannot be read as a json/ });
  t.match(valueOfSql("json_extract('{', '$.a')"), { refused: /cannot be read as/ });
});

t.test('functions of lists take and return lists as PostgreSQL does', async (t) => {
  const cases: readonly (readonly [string, unknown])[] = [
    ["ARRAY_TO_STRING(ARRAY[1, NULL, 3], ',')", '1,3'],
    ["ARRAY_TO_STRING(ARRAY[1, NULL, 3], ',', '*')", '1,*,3'],
    [`ARRAY_TO_STRING(STRING_TO_ARRAY('a"b,c', ','), '')`, 'a"bc'],
    ["ARRAY_TO_STRING(STRING_TO_ARRAY('', ','), '-', '*')", ''],
    ["CARDINALITY(STRING_TO_ARRAY('', ','))", 0n],
    ["ARRAY_LENGTH(STRING_TO_ARRAY('', ','), 1)", null],
    ["CARDINALITY(STRING_TO_ARRAY('a,b', ''))", 1n],
    ["ARRAY_TO_STRING(STRING_TO_ARRAY('日🙂a', NULL), '-')", '日-🙂-a'],
    ["ARRAY_TO_STRING(STRING_TO_ARRAY('a,x,b', ',', 'x'), '-', '*')", 'a-*-b'],
    ["LIST_EXTRACT(ARRAY['a', 'b', NULL], 2)", 'b'],
    ["LIST_EXTRACT(ARRAY['a', 'b', NULL], 3)", null],
    ["LIST_EXTRACT(ARRAY['a', 'b'], -2)", 'a'],
    ["LIST_EXTRACT(ARRAY['a', 'b'], 0)", null],
    ["LIST_EXTRACT(ARRAY['a', 'b'], 3)", null],
    ['ARRAY[3, 2][2] + 1', 3],
  ];
  for (const [sql, expected] of cases) t.equal(String(valueOfSql(sql)), String(expected), sql);
});
