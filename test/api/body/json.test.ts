import t from 'tap';
import {
  ExactNumber,
  JSON_NODES_MAX,
  type Json,
  parseJson,
  sortedJson,
  writeJson,
} from '../../../src/api/index.js';
import { Prng, QuarryError } from '../../../src/base/index.js';
import { jsonText } from '../../support/generate.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

t.test('numbers keep every digit of their text', async (t) => {
  for (const text of [
    '9223372036854775807',
    '-9223372036854775808',
    '1000001.10',
    '1e400',
    '0.1',
    '-0',
    '1E-7',
    '9'.repeat(1000),
  ]) {
    t.strictSame(parseJson(bytes(text)), new ExactNumber(text));
    t.strictSame(parseJson(bytes(` [ ${text} ] `)), [new ExactNumber(text)]);
  }
});

t.test('objects take any key as plain data', async (t) => {
  const body = parseJson(bytes('{"__proto__":{"a":1},"constructor":2,"toString":null,"10":true,"":"x"}'));
  t.ok(body instanceof Map);
  t.strictSame(
    new Set((body as Map<string, unknown>).keys()),
    new Set(['__proto__', 'constructor', 'toString', '10', '']),
  );
  t.strictSame((body as Map<string, unknown>).get('__proto__'), new Map([['a', new ExactNumber('1')]]));
  t.equal(Object.hasOwn(Object.prototype, 'a'), false);
});

t.test('strings keep surrogate pairs and an escaped NUL', async (t) => {
  t.equal(parseJson(bytes('"\\ud83d\\ude00 \\u0000 \\u00e9 😀"')), '😀 \0 é 😀');
});

const REFUSED: readonly (readonly [string, Uint8Array, string])[] = [
  ['an empty body', bytes(''), 'empty'],
  ['white space only', bytes('  \n'), 'invalid JSON syntax'],
  ['a byte order mark', new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d]), 'position 0'],
  ['invalid UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 'UTF-8'],
  ['UTF-8 of a lone surrogate', new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]), 'UTF-8'],
  ['overlong UTF-8', new Uint8Array([0x22, 0xc0, 0x80, 0x22]), 'UTF-8'],
  ['a lone surrogate as an escape', bytes('["\\ud800"]'), 'lone surrogate'],
  ['a low surrogate before a high one', bytes('["\\udc00\\ud800"]'), 'lone surrogate'],
  ['a lone surrogate in a key', bytes('{"\\udfff":1}'), 'lone surrogate'],
  ['NUL outside strings', bytes('{}\0'), 'position 2'],
  ['a raw control character in a string', bytes('"a\nb"'), 'control character'],
  ['text after the value', bytes('{} {}'), 'position 3'],
  ['a body cut off', bytes('{"query":[{"a":'), 'invalid JSON syntax'],
  ['a string cut off', bytes('{"query'), 'invalid JSON syntax'],
  ['a comma too many', bytes('[1,]'), 'invalid JSON syntax'],
  ['an extra comma in an object', bytes('{"a":1,}'), 'invalid JSON syntax'],
  ['an invalid number', bytes('[01]'), 'invalid JSON syntax'],
  ['a number with a bare point', bytes('[1.]'), 'invalid JSON syntax'],
  ['NaN', bytes('[NaN]'), 'invalid JSON syntax'],
  ['a comment', bytes('[1 /* one */]'), 'invalid JSON syntax'],
  ['single quotes', bytes("{'a':1}"), 'invalid JSON syntax'],
  ['an unknown escape', bytes('"\\x41"'), 'invalid JSON syntax'],
  ['a key repeated', bytes('{"age":{"gt":5,"gt":7}}'), '"gt" is repeated'],
  ['a key repeated in another spelling', bytes('{"a":1,"\\u0061":2}'), '"a" is repeated'],
  ['a number of a million digits', bytes(`[${'1'.repeat(1_000_000)}]`), 'longer than 1000'],
  ['lists nested 10,000 deep', bytes('['.repeat(10_000) + ']'.repeat(10_000)), 'nested deeper than 512'],
  ['lists nested without an end', bytes('['.repeat(1_000_000)), 'nested deeper than 512'],
  ['objects nested 10,000 deep', bytes('{"a":'.repeat(10_000)), 'nested deeper than 512'],
];

for (const [what, body, named] of REFUSED) {
  t.test(`${what} is refused with 1503 and named`, async (t) => {
    try {
      t.fail(`accepted: ${String(parseJson(body)).slice(0, 80)}`);
    } catch (error) {
      t.ok(error instanceof QuarryError && error.code === 1503, String(error));
      t.match((error as Error).message, named);
      t.ok((error as Error).message.length < 400, 'the message does not grow with the body');
    }
  });
}

t.test('512 levels are read', async (t) => {
  t.equal(
    jsonText(parseJson(bytes(`${'['.repeat(512)}${']'.repeat(512)}`))),
    '['.repeat(512) + ']'.repeat(512),
  );
});

t.test('300,000 values and keys are read, one more is refused with 1507', async (t) => {
  const most = JSON_NODES_MAX;
  t.equal(most, 300_000);
  const list = (count: number): Uint8Array => bytes(`[${Array(count).fill('{}').join()}]`);
  t.equal((parseJson(list(most - 1)) as readonly Json[]).length, most - 1);
  const refusal = { code: 1507, message: 'the body has more than 300000 values and keys' };
  t.throws(() => parseJson(list(most)), refusal);
  t.throws(() => parseJson(bytes(`[${'[],'.repeat(1_700_000)}0]`)), refusal);
  const object = (count: number): Uint8Array =>
    bytes(`{${Array.from({ length: count }, (_, index) => `"${index}":0`).join()},"x":[]}`);
  t.equal((parseJson(object(most / 2 - 2)) as ReadonlyMap<string, Json>).size, most / 2 - 1);
  t.throws(() => parseJson(object(most / 2 - 1)), refusal);
});

t.test('the largest request of counts is read', async (t) => {
  const values = Array.from({ length: 100 }, (_, index) => index);
  const condition = { a: { in: values, between: ['2026-01-01', '2026-02-01'] } };
  const query = Array.from({ length: 2 * 250 - 1 }, (_, index) => (index % 2 === 0 ? condition : 'and'));
  const queries = Array.from({ length: 10 }, (_, index) => ({ 'query-name': `q${index}`, query }));
  const body = JSON.stringify({ queries });
  t.ok(parseJson(bytes(body)) instanceof Map);
});

/** The result of JSON.parse in the reader's own types. The text of numbers may differ. */
function oracle(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(oracle);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(Object.entries(value).map(([key, item]) => [key, oracle(item)]));
}

function rounded(json: Json): unknown {
  if (json instanceof ExactNumber) return Number(json.text);
  if (json instanceof Map) return new Map([...json].map(([key, value]) => [key, rounded(value)]));
  return Array.isArray(json) ? json.map(rounded) : json;
}

t.test(
  'cut and flipped bodies are read as JSON.parse reads them, or refused with 1503, seed 41',
  async (t) => {
    const prng = new Prng(41);
    const whole = bytes(
      '{"query-name":"é😀","query":[{"age":{"gt":-1.5e3}},"and",["not",{"a":{"in":[null,true,"\\u00e9"]}}]]}',
    );
    let [read, refused] = [0, 0];
    for (let round = 0; round < 5000; round++) {
      const body = whole.slice(0, prng.chance(0.2) ? prng.below(whole.length) : whole.length);
      for (let flips = prng.below(3); flips > 0 && body.length > 0; flips--) {
        body[prng.below(body.length)] ^= 1 << prng.below(8);
      }
      const expected = attempt(() =>
        oracle(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))),
      );
      const found = attempt(() => rounded(parseJson(body)));
      if (found === null) refused++;
      else read++;
      t.same(found, expected, `round ${round}`);
    }
    t.ok(read > 1000 && refused > 1000, `${read} read, ${refused} refused`);
  },
);

/** The result of `make`, or null if it throws; our reader must throw 1503. */
function attempt(make: () => unknown): { readonly value: unknown } | null {
  try {
    return { value: make() };
  } catch (error) {
    if (error instanceof QuarryError && error.code !== 1503) throw error;
    if (error instanceof QuarryError || error instanceof SyntaxError || error instanceof TypeError)
      return null;
    throw error;
  }
}

t.test('a written value is read back unchanged, seed 4', async (t) => {
  const prng = new Prng(4);
  const leaves: readonly Json[] = [
    null,
    true,
    false,
    '',
    'é"\\\n\0😀',
    '__proto__',
    new ExactNumber('-0.10E+05'),
  ];
  const value = (depth: number): Json => {
    const kind = depth === 0 ? 0 : prng.below(3);
    if (kind === 0) return prng.chance(0.5) ? prng.pick(leaves) : new ExactNumber(String(prng.below(1e9)));
    const items = Array.from({ length: prng.below(4) }, () => value(depth - 1));
    if (kind === 1) return items;
    return new Map(items.map((item, index) => [`${prng.pick(['a"', '__proto__', '😀'])}${index}`, item]));
  };
  for (let round = 0; round < 500; round++) {
    const options = value(4);
    t.strictSame(parseJson(bytes(writeJson(options))), options);
    t.equal(writeJson(options), jsonText(options));
  }
});

t.test('sorted text is the same for all orders of keys, and different for different values', async (t) => {
  const sorted = (text: string): string => sortedJson(parseJson(bytes(text)));
  t.equal(
    sorted('{"b":[{"d":1.0,"c":null}, 2],"__proto__":{},"a":"x"}'),
    '{"__proto__":{},"a":"x","b":[{"c":null,"d":1.0},2]}',
  );
  t.equal(sorted('{"10":1,"9":2}'), sorted('{"9":2, "10":1}'));
  t.not(sorted('{"a":1}'), sorted('{"a":"1"}'));
  t.not(sorted('[1,2]'), sorted('[2,1]'));
});
