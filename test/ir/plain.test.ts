import { pack, unpack } from 'msgpackr';
import t from 'tap';
import {
  type BehaviourScope,
  type Condition,
  conditionFromPlain,
  conditionToPlain,
  type ValueTest,
} from '../../src/ir/index.js';

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

t.test('conditions on behaviour survive it, with the conditions inside them', async (t) => {
  const inner: Condition = { op: 'attribute', columnId: 3, tests: TESTS };
  const shared: Omit<BehaviourScope, 'question'> = {
    condition: inner,
    events: [
      [[{ columnId: 7, tests: TESTS }]],
      [
        [
          { columnId: 8, tests: [] },
          { columnId: 9, tests: TESTS },
        ],
      ],
    ],
    streams: [1],
    isTied: true,
    values: [],
    between: { from: 0, to: 2 ** 32 - 1 },
    periods: [0, 86_400],
    breakdown: null,
  };
  const funnel: Condition = {
    op: 'behaviour',
    question: {
      ...shared,
      question: {
        kind: 'funnel',
        stepCount: 1,
        optional: [false],
        stepConditions: [inner],
        ...{ order: 'strict', attempts: 'every', within: null, distinctInstants: true },
        exclusions: [],
        stream: 1,
        same: [],
      },
    },
    test: { kind: 'funnel', reached: 0, missed: null },
  };
  const active: Condition = {
    op: 'behaviour',
    question: { ...shared, condition: funnel, question: { kind: 'stickiness', rolling: 1, history: [0] } },
    test: { kind: 'active', atLeast: 1, atMost: 2 },
  };
  const condition: Condition = { op: 'not', member: active };
  t.strictSame(conditionFromPlain(unpack(pack(conditionToPlain(condition)))), condition);
});
