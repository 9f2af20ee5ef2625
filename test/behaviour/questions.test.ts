/**
 * The models agree with each other over generated questions: the numbers of an answer are the numbers of entities that
 * satisfy the conditions which list them.
 */
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { type GeneratedHistory, generateHistory } from './histories.js';
import { answerText, type Kind, type Questions } from './model/answer.js';
import type { Condition } from './model/question.js';
import { generateQuestion } from './questions.js';

const SEED = Number(process.env.QUARRY_SEED ?? Date.now() % 1_000_000);
const ROUNDS = Number(process.env.QUARRY_TEST_ROUNDS ?? 40);
t.comment(`seed ${SEED}, ${ROUNDS} questions of each kind`);
t.setTimeout(60_000 + ROUNDS * 100);

const prng = new Prng(SEED);
const worlds = Array.from({ length: 4 }, (_, index) => generateHistory(prng, `h${index}`));

/** Number of entities that satisfy the condition. */
const countOf = ({ history }: GeneratedHistory, condition: Condition): number =>
  history.entities.filter((entity) => history.satisfies([condition], entity)).length;

/** Compares numbers of the answers to generated questions with those that `listed` counts by conditions. */
function compareAll<K extends Kind>(
  kind: K,
  numbers: (answer: never) => readonly number[],
  listed: (question: Questions[K], world: GeneratedHistory) => readonly number[],
  adjusted: (question: Questions[K]) => Questions[K] = (question) => question,
): void {
  t.test(`${kind}: every number is that of the condition which lists it`, async (t) => {
    const wrong: object[] = [];
    let nonzero = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const world = prng.pick(worlds);
      const question = adjusted(generateQuestion(kind, prng, world));
      const found = numbers(JSON.parse(answerText(kind, question, world.history)) as never);
      const expected = listed(question, world);
      if (found.some((number) => number > 0)) nonzero++;
      if (String(found) !== String(expected)) wrong.push({ question, found, expected });
    }
    t.strictSame(wrong.slice(0, 3), [], `${wrong.length} of ${ROUNDS} differ`);
    t.ok(nonzero > ROUNDS / 10, `${nonzero} of ${ROUNDS} answers have other numbers than 0`);
  });
}

compareAll(
  'funnel',
  ({ steps }: { steps: readonly { count: number }[] }) => steps.map(({ count }) => count),
  (question, world) =>
    [...question.steps.keys()].map((index) =>
      countOf(world, { funnel: { ...question, reached: index + 1 } }),
    ),
  // An entity may have several of `every` attempt; they are counted, and it is listed.
  ({ attempts, ...question }) => (attempts === 'every' ? question : { ...question, attempts }),
);

compareAll(
  'retention',
  ({ cohorts }: { cohorts: readonly { size: number; counts: readonly number[] }[] }) =>
    cohorts.flatMap(({ size, counts }) => [size, ...counts]),
  (question, world) => {
    const { cohorts } = JSON.parse(answerText('retention', question, world.history)) as {
      cohorts: readonly { between: readonly string[]; counts: readonly number[] }[];
    };
    return cohorts.flatMap(({ between, counts }) => {
      const cohort = { ...question, 'cohort-of': between[0] };
      return [
        countOf(world, { retention: cohort }),
        ...counts.map((_, period) => countOf(world, { retention: { ...cohort, period } })),
      ];
    });
  },
);

compareAll(
  'stickiness',
  ({ counts }: { counts: readonly { count: number }[] }) => counts.map(({ count }) => count),
  (question, world) => {
    const { periods } = JSON.parse(answerText('stickiness', question, world.history));
    return Array.from({ length: periods }, (_, index) =>
      countOf(world, { active: { ...question, 'at-least': index + 1, 'at-most': index + 1 } }),
    );
  },
);

compareAll(
  'sequence',
  ({ entities }: { entities: number }) => [entities],
  (question, world) => [countOf(world, { sequence: question })],
);

t.test('actives of a period are those who are new, returning or resurrecting in it', async (t) => {
  const wrong: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const world = prng.pick(worlds);
    const question = generateQuestion('lifecycle', prng, world);
    const lifecycle = JSON.parse(answerText('lifecycle', question, world.history)).series;
    const actives = JSON.parse(answerText('actives', question, world.history)).series;
    const sums = lifecycle.map((one: Record<string, number>) => one.new + one.returning + one.resurrecting);
    const counts = actives.map(({ count }: { count: number }) => count);
    if (String(sums) !== String(counts)) wrong.push(JSON.stringify(question));
  }
  t.strictSame(wrong.slice(0, 3), [], `${wrong.length} of ${ROUNDS} differ`);
});

t.test('a flow hands on its paths from level to level', async (t) => {
  const wrong: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const world = prng.pick(worlds);
    const question = generateQuestion('flow', prng, world);
    const { levels, links } = JSON.parse(answerText('flow', question, world.history)) as {
      levels: readonly { nodes: readonly { count: number }[]; ended: number }[];
      links: readonly { level: number; count: number }[];
    };
    const sum = (some: readonly { count: number }[]): number => some.reduce((n, { count }) => n + count, 0);
    const onwards = levels.slice(0, -1).map(({ nodes, ended }) => sum(nodes) - ended);
    const linked = onwards.map((_, index) => sum(links.filter(({ level }) => level === index + 1)));
    const arrived = levels.slice(1).map(({ nodes }) => sum(nodes));
    if (String([linked, arrived]) !== String([onwards, onwards])) {
      wrong.push(JSON.stringify(question));
    }
  }
  t.strictSame(wrong.slice(0, 3), [], `${wrong.length} of ${ROUNDS} differ`);
});
