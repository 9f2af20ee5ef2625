import { pack, unpack } from 'msgpackr';
import t from 'tap';
import { type Condition, conditionFromPlain, conditionToPlain, type ValueTest } from '../../src/ir/index.js';

const TESTS: readonly ValueTest[] = [
  { kind: 'ranges', ranges: [{ low: -(2n ** 63n), high: 2n ** 63n - 1n }], negated: true },
  { kind: 'ranges', ranges: [], negated: false },
  { kind: 'text', match: 'contains', texts: ['a', 'İ'], negated: false },
  { kind: 'geo-radius', longitude: 0.1, latitude: -90, radiusKm: 3, negated: false },
  { kind: 'geo-box', west: 170, south: -1, east: -170, north: 1, negated: true },
];
const EVENT = { columnId: 7, window: { from: 0, to: 2 ** 32 - 1 }, tests: TESTS };

t.test('a condition of every kind survives a round trip through MessagePack', async (t) => {
  const condition: Condition = {
    op: 'and',
    members: [
      { op: 'attribute', columnId: 3, tests: TESTS },
      { op: 'missing', columnId: 9 },
      { op: 'not', member: { op: 'entity-id', tests: [TESTS[2]] } },
      {
        op: 'or',
        members: [
          { op: 'event', event: EVENT, minfreq: 2 },
          { op: 'freqgroup', events: [EVENT, EVENT], minfreq: 3 },
        ],
      },
    ],
  };
  t.strictSame(conditionFromPlain(unpack(pack(conditionToPlain(condition)))), condition);
});
