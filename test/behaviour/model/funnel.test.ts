/** Attempts and answers of the model of funnels, computed by hand. */
import t from 'tap';
import { countedAttempts, type FunnelFields } from './funnel.js';
import { answerFunnel } from './funnel-answer.js';
import { at, BEGIN, COLUMN, entitiesHistory, entity, letter, lettersHistory } from './letters.js';
import { Float } from './numbers.js';

const steps = (letters: string, optional = ''): FunnelFields['steps'] =>
  [...letters].map((value) => ({ ...letter(value), ...(optional.includes(value) && { optional: true }) }));

/** The seconds of the attempts that count; - is a step that is left out. */
function attempts(text: string, fields: FunnelFields): string {
  const history = lettersHistory(text);
  return countedAttempts(fields, history.entities[0], history)
    .map((attempt) => attempt.map((event) => (event === null ? '-' : event.seconds - BEGIN)).join(' '))
    .join(', ');
}

t.test('the documented differences from other systems', async (t) => {
  const any = { event: { [COLUMN]: {} } };
  t.equal(attempts('a0', { steps: [letter('a'), any] }), '0', 'one event never serves two steps');
  t.equal(attempts('a0 x1 a2 b3', { steps: steps('ab'), order: 'strict' }), '2 3');
  t.equal(attempts('a0 b1 b2 c3', { steps: steps('abc'), order: 'strict' }), '0 1');
  const increasing = { steps: steps('acd'), within: '4sec', 'distinct-instants': true };
  t.equal(attempts('a2 a3 c3 d6', increasing), '2 3 6');
});

t.test(
  'the best attempt is the longest, then that with fewest steps left out, then the earliest',
  async (t) => {
    t.equal(attempts('a0 a5 b6 c9', { steps: steps('abc'), within: '4sec' }), '5 6 9');
    t.equal(attempts('a0 a1 b2 b3', { steps: steps('ab') }), '0 2');
    t.equal(attempts('b0 a0', { steps: steps('ab') }), '0 0', 'events of one second have no order');
    t.equal(attempts('b0 a0', { steps: steps('ab'), 'distinct-instants': true }), '0');
    t.equal(attempts('a0 c1 a2 b3 c4', { steps: steps('abc', 'b') }), '0 3 4', 'fewest left out');
    t.equal(attempts('a0 c1', { steps: steps('abc', 'b') }), '0 - 1');
    t.equal(attempts('a0 d3', { steps: steps('abcd', 'bc') }), '0 - - 3');
    t.equal(attempts('a0 b1', { steps: steps('abcd', 'bc') }), '0 1');
    t.equal(attempts('b0', { steps: steps('ab') }), '');
  },
);

t.test('the first attempt begins with the earliest event that begins one', async (t) => {
  const fields = { steps: steps('ab'), within: '4sec' };
  t.equal(attempts('a0 a5 b6', { ...fields, attempts: 'first' }), '0');
  t.equal(attempts('a0 a5 b6', { ...fields, attempts: 'best' }), '5 6');
  t.equal(attempts('a0 a5 b6', { ...fields, attempts: 'every' }), '0, 5 6');
});

t.test('the next of every attempt begins after the end or the time limit of the one before', async (t) => {
  const every = { steps: steps('ab'), attempts: 'every' as const };
  t.equal(attempts('a0 b1 a1 b2 a3 b4', every), '0 1, 3 4');
  t.equal(attempts('a0 b1 a2 a3', every), '0 1, 2', 'without a time limit, none follows an incomplete one');
  t.equal(attempts('a0 a2 a3 a7', { ...every, within: '2sec' }), '0, 3, 7');
});

t.test('an excluded event lies strictly between the steps', async (t) => {
  const fields = (after: number, before: number, optional = ''): FunnelFields => ({
    steps: steps('abc', optional),
    exclude: [{ ...letter('x'), after, before }],
  });
  t.equal(attempts('a0 x1 b2 c3', fields(1, 2)), '0');
  t.equal(attempts('a0 x0 b2 x2 c3', fields(1, 2)), '0 2 3', 'not at the ends');
  t.equal(attempts('a0 x1 b2 a3 b4', fields(1, 3)), '3 4');
  t.equal(attempts('a0 b1 x2', fields(1, 3)), '0 1', 'not after the attempt');
  t.equal(attempts('a0 x1 c2', fields(2, 3, 'b')), '0', 'the step before stands in for one left out');
  t.equal(attempts('a0 x1 c2', fields(1, 2, 'b')), '0', 'the step after stands in for one left out');
});

t.test('any order takes different steps in any order', async (t) => {
  const any = { steps: steps('abc'), order: 'any' as const };
  t.equal(attempts('c0 a1 b2', any), '0 1 2');
  t.equal(attempts('c0 c1', any), '0');
  t.equal(attempts('b0 c5 a6', { ...any, within: '2sec' }), '5 6');
  t.equal(attempts('b0 c1 a2', { ...any, between: [at(1), at(1)] }), '1 2', 'only the first lies in between');
});

t.test('events of an attempt hold the same values', async (t) => {
  const tied = (act: string, seconds: number, value?: string) => ({
    values: new Map([
      [COLUMN, { value: act, seconds: BEGIN + seconds }],
      ...(value === undefined ? [] : [['tied', { value, seconds: BEGIN + seconds }] as const]),
    ]),
  });
  const events = [tied('a', 0, 'x'), tied('b', 1, 'y'), tied('b', 2), tied('b', 3, 'x')];
  const history = entitiesHistory([{ id: 'e', attributes: new Map(), events }]);
  const found = countedAttempts({ steps: steps('ab'), same: ['tied'] }, history.entities[0], history);
  t.strictSame(
    found.map((attempt) => attempt.map((event) => event!.seconds - BEGIN)),
    [[0, 3]],
  );
});

t.test('counts, conversions, seconds, histogram, groups and series', async (t) => {
  const history = entitiesHistory([
    entity('e1', 'a0 b3', { plan: 'pro' }),
    entity('e2', 'a0 b1', { plan: 'pro' }),
    entity('e3', 'a90000', { plan: 'free' }),
    entity('e4', 'b5', { plan: 'free' }),
    entity('e5', 'a0 b0'),
  ]);
  const one = { name: 'step 1', 'step-conversion': null };
  const [full, none] = [new Float(1), { avg: null, median: null, p90: null }];
  const answer = answerFunnel(
    {
      steps: [letter('a'), { ...letter('b'), name: 'buy' }],
      between: [at(0), at(100_000)],
      interval: 'days',
      breakdown: { column: 'plan', limit: 1 },
      histogram: 2,
    },
    history,
  ) as { steps: unknown; groups: unknown[]; series: { between: unknown; steps: unknown }[] };
  t.strictSame(answer.steps, [
    { ...one, count: 4, conversion: full },
    {
      name: 'buy',
      count: 3,
      conversion: new Float(0.75),
      'step-conversion': new Float(0.75),
      seconds: { avg: new Float(4 / 3), median: 1, p90: 3 },
      histogram: [
        { from: new Float(0), to: new Float(1.5), count: 2 },
        { from: new Float(1.5), to: new Float(3), count: 1 },
      ],
    },
  ]);
  t.strictSame(
    answer.groups.map((group) => {
      const { steps, ...label } = group as { steps: { count: number }[] };
      return [label, ...steps.map(({ count }) => count)];
    }),
    [
      [{ value: 'pro' }, 2, 2],
      [{ others: true }, 1, 0],
      [{ value: null }, 1, 1],
    ],
  );
  t.strictSame(answer.series[1], {
    between: ['2024-01-02T00:00:00Z', '2024-01-03T00:00:00Z'],
    steps: [
      { ...one, count: 1, conversion: full },
      {
        name: 'buy',
        count: 0,
        conversion: new Float(0),
        'step-conversion': new Float(0),
        seconds: none,
        histogram: [],
      },
    ],
  });
});
