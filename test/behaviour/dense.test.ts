/** Streams of entities with hundreds of events, most of them in the same seconds, are ordered and divided as in the models. */
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { EVENT_COLUMNS, type GeneratedHistory, generateHistory, valuesOf } from './histories.js';
import { historyOf } from './model/conditions.js';
import type { Entity, StoredEvent } from './model/history.js';
import { generateQuestion } from './questions.js';
import { BehaviourServer, differenceFrom } from './server.js';

const SEED = Number(process.env.QUARRY_SEED ?? Date.now() % 1_000_000);
const QUESTIONS = 40;
const EVENTS = 300;
const ENTITIES = 3;
t.setTimeout(300_000);

/** The history, with entities of many events at few of its instants. */
function denseHistory(prng: Prng): GeneratedHistory {
  const world = generateHistory(prng, 'dense');
  const columns = Object.keys(EVENT_COLUMNS).filter((column) => !world.related.includes(column));
  const some = world.instants.slice(0, 4);
  const eventOf = (): StoredEvent => {
    const column = prng.pick(columns);
    const seconds = prng.chance(0.8) ? some[0] : prng.pick(some);
    return { values: new Map([[column, { value: prng.pick(valuesOf(column)), seconds }]]) };
  };
  const entities = world.history.entities.slice(0, ENTITIES).map(
    ({ id, attributes }): Entity => ({
      id,
      attributes,
      events: Array.from({ length: EVENTS }, eventOf),
    }),
  );
  return { ...world, history: historyOf({ ...world.history, entities }) };
}

for (const kind of ['flow', 'sessions', 'timeline', 'compare'] as const) {
  t.test(kind, async (t) => {
    t.comment(`seed ${SEED}`);
    const prng = new Prng(SEED);
    const world = denseHistory(prng);
    const server = await BehaviourServer.start(t, 2, [world]);
    const questions = Array.from({ length: QUESTIONS }, () => generateQuestion(kind, prng, world));
    const answers = await server.answers(kind, questions);
    const wrong = questions.flatMap(
      (question, index) => differenceFrom(kind, question, world, answers[index]) ?? [],
    );
    t.strictSame(wrong.slice(0, 2), [], `${wrong.length} of ${QUESTIONS} differ`);
  });
}
