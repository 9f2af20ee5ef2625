import t from 'tap';
import { readAll } from '../../../src/api/body/fields.js';
import { isLonger, RequestBody } from '../../../src/api/body/request-body.js';
import { newKeyFields, newUser } from '../../../src/interface/index.js';
import { body, choice, type Fields, orNull } from '../../../src/interface/schema.js';
import { json } from '../databases.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';

const CODES = { wrong: 7000, missing: 7000, type: 7000 } as const;
const aName = newKeyFields.properties['key-name'];
const aText = orNull(newUser.properties['permission-group']);
const texts = newUser.properties.labels;
const bodyOf = <F extends Fields>(fields: F, text: string) => RequestBody.of(body(CODES, fields), json(text));
const nameIn = (text: string): string => bodyOf({ a: aName }, text).get('a');

t.test('lengths are in code points', (t) => {
  const face = '\u{1f600}';
  for (const unit of ['a', 'Ä', face]) {
    t.equal(isLonger(unit.repeat(5), 5), false);
    t.equal(isLonger(unit.repeat(6), 5), true);
  }
  t.equal(bodyOf({ a: aText }, JSON.stringify({ a: face.repeat(1024) })).get('a')?.length, 2048);
  t.equal(nameIn(JSON.stringify({ a: face.repeat(64) })).length, 128);
  t.end();
});

t.test('a name may contain every printable character', (t) => {
  for (const name of ['__proto__', 'constructor', 'Ä Σ \u{1f600}', 'it\'s "x"', '7', ' a ', '\u0645\u0646']) {
    t.equal(nameIn(JSON.stringify({ a: name })), name);
  }
  const refusals: readonly Refusal[] = [
    ['nothing', '{}', 7000, '"a" in the body is missing'],
    ['null', '{"a":null}', 7000, 'must be a string, not null'],
    ['a number', '{"a":1}', 7000, 'must be a string, not a number'],
    ['a list', '{"a":["x"]}', 7000, 'must be a string, not a list'],
    ['an empty one', '{"a":""}', 7000, 'is empty'],
    ['blanks', '{"a":" \\u3000 "}', 7000, 'is empty'],
    ['a control character', '{"a":"x\\u0000"}', 7000, 'printed'],
    ['a line break', '{"a":"x\\ny"}', 7000, 'printed'],
    ['a line separator', '{"a":"x\\u2028y"}', 7000, 'printed'],
    ['a mark that reverses the direction of text', '{"a":"x\\u202ey"}', 7000, 'printed'],
    ['65 characters', JSON.stringify({ a: 'ä'.repeat(65) }), 7000, 'longer than 64'],
  ];
  assertRefusals(t, refusals, (json) => RequestBody.of(body(CODES, { a: aName }), json).get('a'));
  t.end();
});

t.test('unknown fields are all named, up to twenty, and a body that is not an object is refused', (t) => {
  const known = body(CODES, { a: aText, b: aName });
  const itself = (text: string) => RequestBody.of(known, json(text)).read((fields) => fields);
  assertAllRefusals(t, () => itself('{"x":1,"a":2,"__proto__":3}'), [
    [7000, 'unknown field "x" in the body'],
    [7000, 'unknown field "__proto__" in the body'],
  ]);
  const beside = RequestBody.of(known, json('{"x":1,"a":2,"b":3}'));
  assertAllRefusals(t, () => beside.read(() => beside.values()), [
    [7000, 'unknown field "x"'],
    [7000, '"a" in the body must be a string'],
    [7000, '"b" in the body must be a string'],
  ]);
  const many = JSON.stringify(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`x${index}`, 0])));
  assertAllRefusals(
    t,
    () => itself(many),
    Array.from({ length: 20 }, (_, index) => [7000, `"x${index}"`] as const),
  );
  for (const text of ['null', '[]', '"a"', '1', 'true']) {
    assertRefusals(t, [[text, text, 7000, 'the body must be an object']], () => itself(text));
  }
  t.end();
});

t.test('all readers run, and the errors of all are reported in order', (t) => {
  const text = '{"a":1,"b":[2,"x",{}]}';
  const fields = bodyOf({ a: aText, b: texts }, text);
  const choices = bodyOf({ a: orNull(choice(['x'], '')) }, text);
  t.strictSame(readAll({ one: () => 1, two: () => 'b' }), { one: 1, two: 'b' });
  assertAllRefusals(
    t,
    () =>
      readAll({
        a: () => fields.get('a'),
        b: () => fields.get('b'),
        c: () => choices.get('a'),
      }),
    [
      [7000, '"a" in the body must be a string'],
      [7000, 'a number at [0]'],
      [7000, 'an object at [2]'],
      [7000, '"a" in the body must be one of x, not a number'],
    ],
  );
  t.throws(
    () =>
      readAll({
        a: () => {
          throw new TypeError('a bug');
        },
      }),
    TypeError,
  );
  t.end();
});

t.test('lists keep their order, drop duplicates and have a maximum length', (t) => {
  const listIn = (text: string) => bodyOf({ a: texts }, text).get('a') ?? ['before'];
  t.strictSame(listIn('{"a":["z","a","z",""]}'), ['z', 'a', '']);
  t.strictSame(listIn('{"a":[]}'), []);
  t.strictSame(listIn('{"a":null}'), ['before']);
  t.equal(
    listIn(JSON.stringify({ a: Array.from({ length: 1000 }, (_, index) => String(index)) })).length,
    1000,
  );
  const bad: readonly Refusal[] = [
    ['1,001 items', JSON.stringify({ a: Array(1001).fill('x') }), 7000, 'more than 1000'],
    [
      'a long item',
      JSON.stringify({ a: ['x', 'y'.repeat(1025)] }),
      7000,
      'longer than 1024 characters at [1]',
    ],
    ['an object', '{"a":{"0":"x"}}', 7000, 'must be a list, not an object'],
  ];
  assertRefusals(t, bad, (json) => RequestBody.of(body(CODES, { a: texts }), json).get('a'));
  t.end();
});
