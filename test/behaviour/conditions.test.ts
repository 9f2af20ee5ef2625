/**
 * Conditions on behaviour: every number that an answer contains is the count of the condition that lists it, and conditions,
 * also negated, joined and nested, select the entities that the model selects.
 */
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { type GeneratedHistory, generateHistory } from './histories.js';
import type { Questions } from './model/answer.js';
import type { Query } from './model/question.js';
import { generateQuestion } from './questions.js';
import { BehaviourServer } from './server.js';

const SEED = Number(process.env.QUARRY_SEED ?? Date.now() % 1_000_000);
const ROUNDS = Number(process.env.QUARRY_TEST_ROUNDS ?? 40);
const SHARDS = [1, 5];
/** Numbers of one answer that are compared. */
const NUMBERS_MAX = 8;
t.comment(`seed ${SEED}, ${ROUNDS} questions of each kind`);
t.setTimeout(120_000 + ROUNDS * 500);

/** A number of an answer, and the condition that lists the entities. */
type Listed = readonly [number: number, condition: object];
type Kind = 'funnel' | 'sequence' | 'retention' | 'stickiness';
type Numbers<K extends Kind> = (question: Questions[K], answer: never) => readonly Listed[];

const funnelNumbers: Numbers<'funnel'> = (question, answer: { steps: readonly { count: number }[] }) =>
  answer.steps.map(({ count }, index) => [count, { funnel: { ...question, reached: index + 1 } }]);

const retentionNumbers: Numbers<'retention'> = (
  question,
  answer: {
    cohorts: readonly { between: readonly string[]; size: number; counts: readonly number[] }[];
  },
) =>
  answer.cohorts.flatMap(({ between, size, counts }) => {
    const cohort = { ...question, 'cohort-of': between[0] };
    return [
      [size, { retention: cohort }] as const,
      ...counts.map((count, period) => [count, { retention: { ...cohort, period } }] as const),
    ];
  });

const stickinessNumbers: Numbers<'stickiness'> = (
  question,
  answer: { counts: readonly { active: number; count: number }[] },
) =>
  answer.counts.map(({ active, count }) => [
    count,
    { active: { ...question, 'at-least': active, 'at-most': active } },
  ]);

const sequenceNumbers: Numbers<'sequence'> = (question, { entities }: { entities: number }) => [
  [entities, { sequence: question }],
];

const modelCount = ({ history }: GeneratedHistory, query: Query): number =>
  history.entities.filter((entity) => history.satisfies(query, entity)).length;

interface Site {
  readonly server: BehaviourServer;
  readonly worlds: readonly GeneratedHistory[];
  readonly prng: Prng;
}

/** Compares numbers of generated answers with the counts of their conditions; returns what differs. */
async function compare<K extends Kind>(
  kind: K,
  numbers: Numbers<K>,
  { server, worlds, prng }: Site,
): Promise<object[]> {
  const wrong: object[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const world = prng.pick(worlds);
    const question = generateQuestion(kind, prng, world);
    const [text] = await server.answers(kind, [question]);
    const all = numbers(question, JSON.parse(text) as never);
    const some = all.filter(() => all.length <= NUMBERS_MAX || prng.chance(NUMBERS_MAX / all.length));
    const { dimension } = world;
    const counts = await server.answers(
      'count/entity',
      some.map(([, condition]) => ({ dimension, query: [condition] })),
    );
    // With `every`, all attempts of an entity are counted, but the entity is listed once.
    const isEvery = 'attempts' in question && question.attempts === 'every';
    some.forEach(([number, condition], index) => {
      const expected = isEvery ? modelCount(world, [condition as never]) : number;
      if (counts[index] !== String(expected)) wrong.push({ condition, found: counts[index], expected });
    });
  }
  return wrong;
}

/** Lists that join, negate and nest conditions on behaviour. */
function joined(prng: Prng, world: GeneratedHistory): Query {
  const funnel = generateQuestion('funnel', prng, world);
  const activity = generateQuestion('stickiness', prng, world);
  const reached = { funnel: { ...funnel, reached: 1, 'not-reached': funnel.steps.length } };
  const active = { active: { ...activity, 'at-least': prng.below(2), 'at-most': prng.between(1, 3) } };
  const matched = { sequence: generateQuestion('sequence', prng, world) };
  const nested = { active: { ...activity, query: prng.chance(0.5) ? [reached] : ['not', reached] } };
  return prng.pick<Query>([
    [reached],
    ['not', reached],
    [active],
    ['not', active],
    [reached, 'and', active],
    [reached, 'or', ['not', active]],
    [nested],
    [matched],
    ['not', matched, 'and', reached],
    [{ active: { ...activity, query: [matched] } }],
    ['not', nested],
  ]);
}

for (const shards of SHARDS) {
  t.test(`conditions on ${shards} shards`, async (t) => {
    const prng = new Prng(SEED + shards);
    const worlds = Array.from({ length: 3 }, (_, index) => generateHistory(prng, `h${index}`));
    const server = await BehaviourServer.start(t, shards, worlds);
    const site = { server, worlds, prng };
    const check = (name: string, wrong: readonly object[]): void => {
      t.strictSame(wrong.slice(0, 3), [], `${name}: ${wrong.length} differ`);
    };
    check('funnel', await compare('funnel', funnelNumbers, site));
    check('sequence', await compare('sequence', sequenceNumbers, site));
    check('retention', await compare('retention', retentionNumbers, site));
    check('stickiness', await compare('stickiness', stickinessNumbers, site));
    const wrong: object[] = [];
    for (const world of worlds) {
      const lists = Array.from({ length: ROUNDS * 2 }, () => joined(prng, world));
      const { dimension } = world;
      const counts = await server.answers(
        'count/entity',
        lists.map((query) => ({ dimension, query })),
      );
      lists.forEach((query, index) => {
        const expected = modelCount(world, query);
        if (counts[index] !== String(expected)) wrong.push({ query, found: counts[index], expected });
      });
    }
    check('joined', wrong);
  });
}
