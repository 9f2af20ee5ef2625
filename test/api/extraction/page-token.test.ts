import t from 'tap';
import {
  type JsonObject,
  type PageToken,
  readPageToken,
  type TokenOwner,
  writePageToken,
} from '../../../src/api/index.js';
import { INT64_MAX, INT64_MIN, Prng, QuarryError } from '../../../src/base/index.js';
import type { OrderValue } from '../../../src/ir/index.js';
import { json } from '../databases.js';

const bodyOf = (text: string): JsonObject => json(text) as JsonObject;
const OWNER: TokenOwner = {
  ...{ endpoint: 'result', caller: '["key","ab"]', databaseId: 7 },
  body: bodyOf('{"query":[{"a":{"equals":1}}],"columns":["a"],"limit":5000}'),
};
const TOKEN: PageToken = {
  ...{ page: 2, taken: 1024, firstMs: 1_530_362_096_789 },
  last: { id: 'the last', score: 0, distanceKm: 0, values: [5n, 'text', null] },
};

/** The decoded token, or the error code of the refusal. */
function read(owner: TokenOwner, text: string): PageToken | number {
  try {
    return readPageToken(owner, text);
  } catch (error) {
    if (error instanceof QuarryError) return error.code;
    throw error;
  }
}

const ODD_TEXTS = [
  '',
  'i5',
  'n',
  '"',
  '\\',
  '\u0000',
  '\u2028',
  'é',
  '𝒳',
  '__proto__',
  'null',
  't',
  ' \n',
  '中'.repeat(40),
];
const ODD_INTEGERS = [INT64_MIN, INT64_MIN + 1n, -(2n ** 53n) - 1n, -1n, 0n, 1n, 2n ** 53n + 1n, INT64_MAX];

function randomToken(prng: Prng): PageToken {
  const text = (): string => Array.from({ length: prng.below(4) }, () => prng.pick(ODD_TEXTS)).join('');
  const value = (): OrderValue => prng.pick([null, prng.pick(ODD_INTEGERS), text()]);
  return {
    page: prng.between(2, 2 ** 31),
    taken: prng.pick([1, 1024, 5_000_000, Number.MAX_SAFE_INTEGER]),
    firstMs: prng.pick([0, 1_530_362_096_789]),
    last: {
      ...{ id: `x${text()}`, score: prng.below(3) },
      distanceKm: prng.pick([0, 1e-300, 0.1 + 0.2, 20015.114352233686]),
      values: Array.from({ length: prng.below(11) }, value),
    },
  };
}

t.test('a token is read back exactly', async (t) => {
  const seed = 6;
  const prng = new Prng(seed);
  for (let round = 0; round < 500; round++) {
    const token = randomToken(prng);
    const text = writePageToken(OWNER, token);
    t.match(text, /^[A-Za-z0-9_-]+$/);
    t.strictSame(read(OWNER, text), token, `seed ${seed}, round ${round}`);
  }
});

t.test('the longest position fits in a token', async (t) => {
  const longest = '\u0001'.repeat(1_000);
  const astral = '𝒳'.repeat(1_000);
  for (const text of [longest, astral]) {
    const last = { ...TOKEN.last, id: text, values: Array<OrderValue>(10).fill(text) };
    t.strictSame(read(OWNER, writePageToken(OWNER, { ...TOKEN, last })), { ...TOKEN, last });
  }
});

t.test('a token with any one character changed, added or removed is refused', async (t) => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ .';
  const accepted: string[] = [];
  let tried = 0;
  const refuse = (text: string): void => {
    tried++;
    if (read(OWNER, text) !== 4029) accepted.push(text);
  };
  // Lengths with all remainders modulo 3, so that the last character has no, two or four spare bits.
  for (const id of ['a', 'ab', 'abc']) {
    const text = writePageToken(OWNER, { ...TOKEN, last: { ...TOKEN.last, id } });
    for (let at = 0; at < text.length; at++) {
      for (const character of alphabet) {
        if (character === text[at]) continue;
        refuse(text.slice(0, at) + character + text.slice(at + 1));
        refuse(text.slice(0, at) + character + text.slice(at));
      }
      refuse(text.slice(0, at) + text.slice(at + 1));
    }
    for (const tail of alphabet) refuse(text + tail);
  }
  t.strictSame(accepted, [], `${tried} damaged tokens`);
  t.ok(tried > 20_000);
});

t.test('a token is valid only for its owner', async (t) => {
  const text = writePageToken(OWNER, TOKEN);
  t.strictSame(read(OWNER, text), TOKEN);
  t.equal(read({ ...OWNER, endpoint: 'score' }, text), 4029);
  t.equal(read({ ...OWNER, caller: '["key","ac"]' }, text), 4029);
  t.equal(read({ ...OWNER, caller: '["user","ab"]' }, text), 4029);
  t.equal(read({ ...OWNER, databaseId: 8 }, text), 4029);
});

t.test('a body is identified by its content without its own token', async (t) => {
  const text = writePageToken(OWNER, TOKEN);
  const readWith = (body: string) => read({ ...OWNER, body: bodyOf(body) }, text);
  t.strictSame(readWith('{ "limit":5000, "columns":["a"], "query":[{"a":{"equals":1}}] }'), TOKEN);
  t.strictSame(
    readWith('{"page-token":"x","query":[{"\\u0061":{"equals":1}}],"columns":["a"],"limit":5000}'),
    TOKEN,
  );
  t.equal(readWith('{"query":[{"a":{"equals":"1"}}],"columns":["a"],"limit":5000}'), 4029, 'a text');
  t.equal(readWith('{"query":[{"a":{"equals":1}}],"columns":["a"]}'), 4029, 'a missing field');
  t.equal(
    readWith('{"query":[{"a":{"equals":1}}],"columns":["a"],"limit":5000,"order":null}'),
    4029,
    'an extra field',
  );
  t.equal(readWith('{"query":[{"a":{"equals":1}}],"columns":["a","a"],"limit":5000}'), 4029, 'a list');
  const deep = bodyOf('{"query":[{"page-token":1}]}');
  const other = bodyOf('{"query":[{"page-token":2}]}');
  t.equal(
    read({ ...OWNER, body: other }, writePageToken({ ...OWNER, body: deep }, TOKEN)),
    4029,
    'a nested field',
  );
});

t.test('a forged token must have the shape of a token', async (t) => {
  /** The forged token with a valid digest. */
  const forged = (change: object): PageToken | number =>
    read(OWNER, writePageToken(OWNER, { ...TOKEN, ...change } as PageToken));
  const last = (change: object) => ({ last: { ...TOKEN.last, ...change } });
  t.strictSame(forged({}), TOKEN);
  const bad: readonly object[] = [
    ...[0, 1, -1, 1.5, '2', null].map((page) => ({ page })),
    ...[0, -5, 0.5, 2 ** 53, '1'].map((taken) => ({ taken })),
    ...[-1, 1.5, null, 'now'].map((firstMs) => ({ firstMs })),
    ...['', 5, null, ['x']].map((id) => last({ id })),
    ...[-1, 0.5, null].map((score) => last({ score })),
    ...[-1, null, '0', Number.NaN, Number.POSITIVE_INFINITY].map((distanceKm) => last({ distanceKm })),
    ...[[INT64_MAX + 1n], [INT64_MIN - 1n], [10n ** 30n]].map((values) => last({ values })),
  ];
  for (const change of bad) {
    t.equal(
      forged(change),
      4029,
      JSON.stringify(change, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value)),
    );
  }
});

t.test('a text that is not a token is refused', async (t) => {
  for (const text of [
    '""',
    '5',
    'null',
    'true',
    '[]',
    '{}',
    '"A"',
    '"é"',
    `"${'A'.repeat(64)}"`,
    `"${'A'.repeat(1_000_000)}"`,
  ]) {
    t.throws(() => readPageToken(OWNER, json(text)), { code: 4029 }, text.slice(0, 20));
  }
});
