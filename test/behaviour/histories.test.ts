/**
 * What a server stores of generated histories, and the entities that satisfy generated condition lists, are those of the
 * models.
 */
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { randomQuery } from './condition-lists.js';
import { type GeneratedHistory, generateHistory, relationOf } from './histories.js';
import { BehaviourServer } from './server.js';

const SEED = Number(process.env.QUARRY_SEED ?? Date.now() % 1_000_000);
const LISTS = 200;
t.comment(`seed ${SEED}`);

const rowText = (row: object): string => JSON.stringify(Object.entries(row).sort());

/** The rows of the relation as a table of SQL: one for each event, with the date of its first column. */
const relatedRows = ({ related, history }: GeneratedHistory): object[] =>
  history.entities.flatMap(({ id, events }) =>
    events
      .filter(({ values }) => related.some((column) => values.has(column)))
      .map(({ values }) => {
        const first = related.find((column) => values.has(column))!;
        return {
          'entity-id': id,
          date: `${new Date(values.get(first)!.seconds * 1000).toISOString().slice(0, 19)}Z`,
          ...Object.fromEntries(related.map((column) => [column, values.get(column)?.value ?? null])),
        };
      }),
  );

t.test('stored events are tied as in the model, and condition lists select the same entities', async (t) => {
  const prng = new Prng(SEED);
  const worlds = Array.from({ length: 3 }, (_, index) => generateHistory(prng, `h${index}`));
  const server = await BehaviourServer.start(t, 2, worlds);
  for (const world of worlds) {
    const rows = await server.rows(`SELECT * FROM [${relationOf(world.dimension)}]`);
    t.strictSame(rows.map(rowText).sort(), relatedRows(world).map(rowText).sort());
  }
  for (const world of worlds) {
    const { dimension, history } = world;
    const lists = Array.from({ length: LISTS }, () => randomQuery(prng, world));
    const found = await server.answers(
      'count/entity',
      lists.map((query) => ({ dimension, query })),
    );
    const wrong = lists.flatMap((query, index) => {
      const expected = history.entities.filter((entity) => history.satisfies(query, entity)).length;
      return found[index] === String(expected) ? [] : [{ query, found: found[index], expected }];
    });
    t.strictSame(wrong, [], `${wrong.length} of ${LISTS} differ`);
  }
});
