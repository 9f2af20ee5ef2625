/** The example questions of the first screen. */
import t from 'tap';
import { withWindow } from '../../../src/console/query/draft.js';
import { exampleSql, examplesOf } from '../../../src/console/query/examples.js';
import { requestOf } from '../../../src/console/query/request.js';
import { dimensionOf } from '../../../src/console/server/model.js';
import { MODEL } from '../model.js';

t.test('examples use existing columns, and can be sent once their dates are known', async (t) => {
  const examples = examplesOf(MODEL);
  t.strictSame(
    examples.map(({ text }) => text),
    [
      'How many “delay” events are there for each state of airports?',
      'How many “delay” events were there over time in airports?',
      'What are the most frequent values of “state” in airports?',
      'Where are the airports?',
    ],
  );
  for (const { draft, windowOf, text } of examples) {
    const days = { from: '2001-01-01', to: '2001-01-02' };
    const whole = windowOf === null ? draft : withWindow(draft, days);
    t.notOk('problems' in requestOf(whole, dimensionOf(MODEL, draft.dimension)), text);
  }
});

t.test('an editor begins with a SELECT that fits the database, even an empty one', async (t) => {
  t.match(exampleSql(MODEL), 'SELECT [state], COUNT([delay.value]) AS events\nFROM [airports]');
  t.equal(exampleSql({ database: null, dimensions: [] }), 'SELECT COUNT(*) AS entities FROM [default]');
});
