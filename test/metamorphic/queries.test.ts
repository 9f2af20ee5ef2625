/**
 * Generated columns, inserts, updates, deletes and queries through the JSON interface of whole servers. With any number
 * of shards and workers and with either kernels, the answers of count/event, aggregation, top_values and
 * data_extraction are those of the row-at-a-time model, before and after restarts from log and snapshot.
 * The 5,300 different queries are: 1,330 count/event (1 to 10 a body), 1,330 aggregation, 1,600 top_values (20 a body),
 * 640 data_extraction/result and 430 data_extraction/score. Queries repeated after a restart and extractions of several
 * pages are additional.
 * A longer run: node dist/test/metamorphic/queries.test.js --queries 100000 --seed 1
 */
import { parseArgs } from 'node:util';
import t from 'tap';
import { ConformanceServer } from '../support/conformance-server.js';
import { jsonText } from '../support/generate.js';
import { QueryLife } from './query-life.js';
import { fetchPagesTwice, generateQuestions, type Question, runQuestion } from './query-questions.js';

const { values: value } = parseArgs({
  options: {
    queries: { type: 'string', default: process.env.QUARRY_QUERIES ?? '2400' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [QUERIES, SEED] = [Number(value.queries), Number(value.seed)];
const START_MS = Date.now();
t.comment(`seed ${SEED}, ${QUERIES} queries, from ${new Date(START_MS).toISOString()}`);
t.setTimeout(120_000 + QUERIES * 30);

const SHOWN = 3;
const LAYOUTS = [
  { shards: 1, workers: 1, simd: true },
  { shards: 2, workers: 2, simd: false },
  { shards: 7, workers: 2, simd: true },
] as const;
/** Number of times that new queries are generated in each layout. */
const TIMES = 4;
/** Number of extractions of several pages that are generated each time. */
const PAGED = 2;
/** Share of the queries that are repeated after a restart. */
const AGAIN = 0.2;

for (const [index, { shards, workers, simd }] of LAYOUTS.entries()) {
  t.test(`on ${shards} shards and ${workers} workers every answer equals the model's`, async (t) => {
    const server = await ConformanceServer.start(simd, { shards, workers });
    t.teardown(() => server.stop());
    const life = new QueryLife(server, SEED + index, START_MS);
    const queryCounts = new Map<string, number>();
    const queryNew = async (when: string): Promise<Question[]> => {
      const count = QUERIES / LAYOUTS.length / TIMES;
      const questions = generateQuestions(life.prng, life.world, count);
      for (const { kind, queryCount } of questions)
        queryCounts.set(kind, (queryCounts.get(kind) ?? 0) + queryCount);
      const wrong = await runQuestion(server, life.model, questions);
      t.strictSame(wrong.slice(0, SHOWN), [], `${when}: ${wrong.length} of ${questions.length} differ`);
      for (const body of life.pagedBodies(PAGED)) {
        t.equal(await fetchPagesTwice(server, life.model, body), null, `${when}: ${jsonText(body)}`);
      }
      return questions.filter(() => life.prng.chance(AGAIN));
    };
    const queryAgain = async (at: ConformanceServer, questions: readonly Question[], when: string) => {
      const wrong = await runQuestion(at, life.model, questions);
      t.strictSame(wrong.slice(0, SHOWN), [], `${when}: ${wrong.length} of ${questions.length} differ`);
    };

    await life.createColumns();
    await life.insertPaged();
    for (let requests = 0; requests < 6; requests++) await life.insert(60);
    const first = await queryNew('after inserts');
    for (let changes = 0; changes < 4; changes++) await life.update();
    await life.delete();
    await life.deletePaged();
    await life.insert(40);
    const second = await queryNew('after updates and deletes');
    const killed = await server.copy(!simd);
    await queryAgain(killed, [...first, ...second], 'after a restart from the log, with the other kernels');
    await killed.stop();

    await server.restart(!simd);
    await queryAgain(server, second, 'after a restart from a snapshot, with the other kernels');
    await life.update();
    await life.delete();
    const third = await queryNew('after changes on a snapshot');
    await server.checkpoint();
    await life.insert(60);
    await life.delete();
    await life.update();
    const fourth = await queryNew('after changes during a snapshot');
    const copy = await server.copy(simd);
    await queryAgain(copy, [...third, ...fourth], 'after a restart from snapshot and log');
    await copy.stop();
    t.comment(`ran ${[...queryCounts].map(([kind, count]) => `${count} ${kind}`).join(', ')}`);
  });
}
