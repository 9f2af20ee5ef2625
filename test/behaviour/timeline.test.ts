/** Answers of POST /v1/query/timeline are those of the model, and pages stay valid while events are inserted. */
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { compareKind } from './compare.js';
import { generateHistory } from './histories.js';
import { generateQuestion } from './questions.js';
import { BehaviourServer } from './server.js';

compareKind('timeline');

const SEED = Number(process.env.QUARRY_SEED ?? Date.now() % 1_000_000);
const TIMELINES = 100;
/** Later than all events of generated histories. */
const LATER = Date.parse('2026-06-01T00:00:00Z');

interface Page {
  readonly data: readonly object[];
  readonly 'page-token'?: string;
}

t.test('pages hold every event once, whatever is inserted meanwhile', async (t) => {
  t.comment(`seed ${SEED}`);
  const prng = new Prng(SEED);
  const world = generateHistory(prng, 'h');
  const server = await BehaviourServer.start(t, 5, [world]);
  const wrong: string[] = [];
  let inserted = 0;
  for (let round = 0; round < TIMELINES; round++) {
    // What is inserted could change which entities satisfy a condition list.
    const { query: _query, ...fields } = generateQuestion('timeline', prng, world);
    const question = { ...fields, limit: prng.between(1, 3) };
    const [whole] = await server.answers('timeline', [{ ...question, limit: 1000 }]);
    const found: object[] = [];
    for (let token: string | undefined, pages = 0; pages === 0 || token !== undefined; pages++) {
      const [text] = await server.answers('timeline', [{ ...question, 'page-token': token ?? null }]);
      const page: Page = JSON.parse(text);
      found.push(...page.data);
      token = page['page-token'];
      // Each is later than the ones before: an event that equals one of an earlier page could not be distinguished from it.
      const newer = {
        value: 'a',
        date: `${new Date(LATER + 1000 * ++inserted).toISOString().slice(0, 19)}Z`,
      };
      if (prng.chance(0.2))
        await server.succeed('/v1/insert', { [question['entity-id']]: { dimension: 'h', act: [newer] } });
    }
    const rows = (JSON.parse(whole) as Page).data;
    if (JSON.stringify(found) !== JSON.stringify(rows)) wrong.push(JSON.stringify({ question, found, rows }));
  }
  t.strictSame(wrong.slice(0, 2), [], `${wrong.length} of ${TIMELINES} differ`);
});
