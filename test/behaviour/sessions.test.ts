/** Answers of POST /v1/query/sessions to generated questions are those of the model. */
import t from 'tap';
import { compareKind } from './compare.js';
import { BehaviourServer } from './server.js';

compareKind('sessions');

t.test('an event of several columns begins a session whichever of them it names first', async (t) => {
  const server = await BehaviourServer.start(t, 2, []);
  await server.succeed('/v1/column', [
    { name: 'item', type: 'string-event' },
    { name: 'amount', type: 'integer-event' },
  ]);
  await server.succeed('/v1/column/relation', { name: 'sale', columns: ['item', 'amount'] });
  const dated = (values: readonly unknown[]): object[] =>
    values.map((value, second) => ({ value, date: `2026-01-01T00:00:0${second}Z` }));
  await server.succeed('/v1/insert', { one: { item: dated(['a', 'a', 'b']), amount: dated([1, 5, 5]) } });
  const [item, amount] = [{ equals: 'a' }, { gt: 1 }];
  const answers = await server.answers(
    'sessions',
    [{ item, amount }, { amount, item }, { amount }].map((event) => ({
      ...{ stream: ['item'], gap: '1d', starts: [{ event: [event, { item: { equals: 'c' } }] }] },
    })),
  );
  t.strictSame(
    answers.map((answer) => JSON.parse(answer).sessions),
    [2, 2, 1],
  );
});
