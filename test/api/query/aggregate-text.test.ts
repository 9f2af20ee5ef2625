import t from 'tap';
import {
  AnswerText,
  type LevelNames,
  writeAnswer,
  writeBuckets,
} from '../../../src/api/query/aggregate-text.js';
import type { AggregateAnswer, ValueRow } from '../../../src/ir/index.js';
import { assertAllRefusals } from '../refusals.js';

function textOf(names: LevelNames, answer: AggregateAnswer): string {
  const text = new AnswerText();
  writeAnswer(text, names, answer);
  return text.toString();
}

const row = (value: string, quantity: number, next: AggregateAnswer | null = null): ValueRow => {
  return { value, quantity, next };
};
const values = (...rows: readonly ValueRow[]): AggregateAnswer => ({ answers: 'values', rows });
const metric = (token: string): AggregateAnswer => ({ answers: 'metric', token });
const buckets = (...tokens: readonly string[]): AggregateAnswer => {
  const rows = tokens.map((token, index) => ({ token, from: index * 3600, to: (index + 1) * 3600 }));
  return { answers: 'buckets', rows };
};

t.test('values are rows of quantity and value, in the order of the answer', async (t) => {
  const one = { columns: ['a'], metric: null };
  t.equal(textOf(one, values()), '{"a":[]}');
  t.equal(
    textOf(one, values(row('x', 50), row('"\\\n\u2028é', 2))),
    '{"a":[{"quantity":50,"value":"x"},{"quantity":2,"value":"\\"\\\\\\n\u2028é"}]}',
  );
  t.equal(
    textOf({ columns: ['__proto__'], metric: null }, values(row('x', 1))),
    '{"__proto__":[{"quantity":1,"value":"x"}]}',
  );
});

t.test('a nested level contains its column, and is left out if it has no row', async (t) => {
  const names = { columns: ['a', 'b', 'c'], metric: null };
  const answer = values(
    row('x', 3, values(row('y', 2, values(row('z', 1))), row('w', 1, values()))),
    row('v', 1, values()),
  );
  t.strictSame(JSON.parse(textOf(names, answer)), {
    a: [
      {
        quantity: 3,
        value: 'x',
        b: [
          { quantity: 2, value: 'y', c: [{ quantity: 1, value: 'z' }] },
          { quantity: 1, value: 'w' },
        ],
      },
      { quantity: 1, value: 'v' },
    ],
  });
});

t.test('a metric is an object with the computed token, even over no values', async (t) => {
  t.equal(
    textOf({ columns: ['a'], metric: 'sum' }, metric('18446744073709551614')),
    '{"a":{"sum":18446744073709551614}}',
  );
  t.equal(textOf({ columns: ['a'], metric: 'avg' }, metric('1500000.0')), '{"a":{"avg":1500000.0}}');
  t.equal(textOf({ columns: ['a'], metric: 'count-distinct' }, metric('0')), '{"a":{"count-distinct":0}}');
  const nested = values(row('x', 1, metric('null')), row('y', 1, metric('"2016-01-01"')));
  t.equal(
    textOf({ columns: ['a', 'b'], metric: 'max' }, nested),
    '{"a":[{"quantity":1,"value":"x","b":{"max":null}},{"quantity":1,"value":"y","b":{"max":"2016-01-01"}}]}',
  );
});

t.test(
  'buckets are rows with their bounds; without buckets the list is empty, or omitted when nested',
  async (t) => {
    const top = { columns: ['a'], metric: 'min' };
    t.equal(textOf(top, buckets()), '{"a":[]}');
    const first = '{"min":1.5,"between":["1970-01-01T00:00:00Z","1970-01-01T01:00:00Z"]}';
    const second = '{"min":-7,"between":["1970-01-01T01:00:00Z","1970-01-01T02:00:00Z"]}';
    t.equal(textOf(top, buckets('1.5', '-7')), `{"a":[${first},${second}]}`);
    t.equal(
      textOf(
        { columns: ['a', 'b'], metric: 'min' },
        values(row('x', 2, buckets('1.5')), row('y', 1, buckets())),
      ),
      `{"a":[{"quantity":2,"value":"x","b":[${first}]},{"quantity":1,"value":"y"}]}`,
    );
    const text = new AnswerText();
    writeBuckets(text, 'count', []);
    t.equal(text.toString(), '[]');
  },
);

t.test('a text of the maximum length is accepted, a longer text is refused', async (t) => {
  const whole = '{"a":[{"quantity":1,"value":"x"},{"quantity":1,"value":"y"}]}';
  const write = (charsMax: number): string => {
    const text = new AnswerText(charsMax);
    writeAnswer(text, { columns: ['a'], metric: null }, values(row('x', 1), row('y', 1)));
    return text.toString();
  };
  t.equal(write(whole.length), whole);
  for (let charsMax = 0; charsMax < whole.length; charsMax++) {
    assertAllRefusals(t, () => write(charsMax), [[9006, `${charsMax} characters`]]);
  }
});
