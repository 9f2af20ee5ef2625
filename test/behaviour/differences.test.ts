/** The examples of docs/behaviour-differences.md that come from the contract with users of other products. */
import t from 'tap';
import { BehaviourServer } from './server.js';

/** Events such as `a0 x1`: a letter and a second. */
const historyOf = (text: string): object[] =>
  text.split(' ').map((event) => ({
    value: event[0],
    date: `2026-01-01T00:00:0${event.slice(1)}Z`,
  }));
const steps = (letters: string): object[] =>
  [...letters].map((letter) => ({ event: { act: { equals: letter } } }));

const EXAMPLES: readonly (readonly [history: string, funnel: object, length: number])[] = [
  ['b0', { steps: [...steps('b'), { event: { act: {} } }] }, 1],
  ['a0 x1 a2 b3', { steps: steps('ab'), order: 'strict' }, 2],
  ['a0 b1 b2 c3', { steps: steps('abc'), order: 'strict' }, 2],
  ['a2 a3 c3 d6', { steps: steps('acd'), within: '4sec', 'distinct-instants': true }, 3],
  ['b3 a3', { steps: steps('ab') }, 2],
  ['a0 b9', { steps: steps('ab'), between: ['2026-01-01T00:00:00Z', '2026-01-01T00:00:05Z'] }, 2],
  ['a0 a4 b9', { steps: steps('ab'), within: '5sec' }, 2],
  ['a0 a4 b9', { steps: steps('ab'), within: '5sec', attempts: 'first' }, 1],
];

t.test('funnels of a few events', async (t) => {
  const server = await BehaviourServer.start(t, 2, []);
  await server.succeed('/v1/column', [{ name: 'act', type: 'string-event' }]);
  const entities = EXAMPLES.map(([history], index): [string, object] => [
    `e${index}`,
    { act: historyOf(history) },
  ]);
  await server.succeed('/v1/insert', Object.fromEntries(entities));
  const answers = await server.answers(
    'funnel',
    EXAMPLES.map(([, funnel], index) => ({ ...funnel, query: [{ 'entity-id': { equals: `e${index}` } }] })),
  );
  EXAMPLES.forEach(([history, funnel, length], index) => {
    const counts = JSON.parse(answers[index]).steps.map(({ count }: { count: number }) => count);
    const expected = counts.map((_: number, step: number) => (step < length ? 1 : 0));
    t.strictSame(counts, expected, `${history} ${JSON.stringify(funnel)}`);
  });
});

t.test('the reference event is not its own return', async (t) => {
  const server = await BehaviourServer.start(t, 2, []);
  await server.succeed('/v1/column', [{ name: 'act', type: 'string-event' }]);
  await server.succeed('/v1/insert', { one: { act: historyOf('a0') }, two: { act: historyOf('a0 a0') } });
  const [answer] = await server.answers('retention', [
    { start: { event: { act: {} } }, between: ['2026-01-01', '2026-01-01'], interval: 'days', periods: 1 },
  ]);
  t.match(JSON.parse(answer), { total: { size: 2, counts: [1] } });
  await server.succeed('/v1/insert', {
    early: { act: historyOf('b0 a5') },
    tied: { act: historyOf('b3 a3') },
  });
  const [a, b] = steps('ab');
  const of = (id: string): object => ({ query: [{ 'entity-id': { equals: id } }] });
  const days = { between: ['2026-01-01', '2026-01-02'], interval: 'days', periods: 1 };
  const [early] = await server.answers('retention', [{ start: a, return: b, ...days, ...of('early') }]);
  t.match(JSON.parse(early), { total: { size: 1, counts: [0] } }, 'a return that is earlier');
  const pattern = '(?1)(?2)';
  const [tied] = await server.answers('sequence', [{ conditions: [a, b], pattern, ...of('tied') }]);
  t.match(JSON.parse(tied), { entities: 1 }, 'events of one second in a sequence');
});
