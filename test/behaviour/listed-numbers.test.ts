/**
 * The numbers of answers that count entities are the counts of conditions that list them: activity, lifecycle, sessions, flows, overlaps
 * and comparisons. conditions.test.ts has the same for funnels, retention, stickiness and sequences; a timeline counts nothing.
 */
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { EVENT_COLUMNS, type GeneratedHistory, generateHistory } from './histories.js';
import type { Questions } from './model/answer.js';
import { betweenOf, instantOf, windowOf } from './model/periods.js';
import type { Query, Shared } from './model/question.js';
import { generateQuestion } from './questions.js';
import { BehaviourServer } from './server.js';

const SEED = Number(process.env.QUARRY_SEED ?? Date.now() % 1_000_000);
const ROUNDS = Number(process.env.QUARRY_TEST_ROUNDS ?? 10);
/** Numbers of one answer that are compared. */
const NUMBERS_MAX = 6;
t.comment(`seed ${SEED}, ${ROUNDS} questions of each kind`);
t.setTimeout(120_000 + ROUNDS * 1_000);

/** Before and after all events. */
const [EARLIEST, LATEST] = ['1990-01-01T00:00:00Z', '2099-12-31T00:00:00Z'].map((text) =>
  instantOf(text, 'UTC'),
);

type Listed = readonly [number: number, query: Query];
type Kind = 'actives' | 'lifecycle' | 'sessions' | 'flow' | 'overlap' | 'compare';

/** The entities of the question with an event in the window, both of whose ends are in it. */
function activeIn(shared: Shared, event: unknown, from: number, to: number): Query[number] {
  const [start, end] = [Math.max(from, EARLIEST), Math.min(to, LATEST)];
  const { query } = shared;
  return {
    active: { event, interval: 'years', between: betweenOf({ start, end }), ...(query && { query }) },
  } as unknown as Query[number];
}

interface Series {
  readonly series: readonly (Readonly<Record<string, number>> & {
    readonly between: readonly [string, string];
  })[];
}

/** The periods of an answer as they are cut by `between`. */
function cutPeriods(question: Shared, { series }: Series): { from: number; to: number }[] {
  const [from, to] = windowOf(question);
  return series.map(({ between }) => {
    const [start, end] = between.map((text) => instantOf(text, 'UTC'));
    return { from: Math.max(start, from), to: Math.min(end - 1, to) };
  });
}

const NUMBERS: { readonly [K in Kind]: (question: Questions[K], answer: never) => readonly Listed[] } = {
  actives: (question, answer: Series) => {
    const periods = cutPeriods(question, answer);
    return answer.series.map(({ count }, at) => [
      count,
      [activeIn(question, question.event, periods[at].from, periods[at].to)],
    ]);
  },
  lifecycle: (question, answer: Series) => {
    const { event } = question;
    const periods = cutPeriods(question, answer);
    return answer.series.flatMap(({ new: fresh, returning, resurrecting, dormant }, at): Listed[] => {
      const now = activeIn(question, event, periods[at].from, periods[at].to);
      const ever = activeIn(question, event, EARLIEST, periods[at].from - 1);
      const first: Listed = [fresh, [now, 'and', ['not', ever]]];
      // What is before the first period is history, of which only a part may be the period before it.
      if (at === 0) return [first];
      const before = activeIn(question, event, periods[at - 1].from, periods[at - 1].to);
      return [
        first,
        [returning, [now, 'and', before]],
        [resurrecting, [now, 'and', ever, 'and', ['not', before]]],
        [dormant, [before, 'and', ['not', now]]],
      ];
    });
  },
  sessions: (question, { entities }: { entities: number }) => {
    // Each value of a stream is an event of its own date; alternatives would give tied values the date of the first of them.
    const active = question.stream.map((column) =>
      activeIn(question, { [column]: {} }, ...windowOf(question)),
    );
    return [[entities, active.flatMap((own, at): Query => (at === 0 ? [own] : ['or', own]))]];
  },
  flow: (question, { levels: [{ nodes }] }: { levels: { nodes: { count: number }[] }[] }) => {
    if (question.from === 'every') return [];
    const paths = nodes.reduce((sum, { count }) => sum + count, 0);
    return [[paths, [activeIn(question, question.start.event, ...windowOf(question))]]];
  },
  overlap: (
    { query, segments },
    answer: { segments: { count: number }[]; combinations: { in: string[]; count: number }[] },
  ) => {
    const within = (list: Query): Query => (query === undefined ? list : [query, 'and', list]);
    return [
      ...answer.segments.map(({ count }, at): Listed => [count, within(segments[at].query)]),
      ...answer.combinations.map(({ in: names, count }): Listed => {
        const members = segments.flatMap(({ name, query: own }): Query => {
          // An entity for which a condition is unknown is in no segment, and "not" of it is unknown, too.
          const isIn: Query = [{ active: { ...EVERYBODY, query: own } } as unknown as Query[number]];
          return ['and', names.includes(name) ? isIn : ['not', isIn]];
        });
        return [count, within(members.slice(1))];
      }),
    ];
  },
  compare: (question, answer: readonly { column: string; value: string; counts: readonly number[] }[]) =>
    answer.flatMap(({ column, value, counts }) =>
      question.segments.map(({ query: own }, at): Listed => {
        const test = { [column]: { equals: value } };
        const holds =
          column in EVENT_COLUMNS
            ? activeIn({}, test, ...windowOf(question))
            : (test as unknown as Query[number]);
        const { query } = question;
        return [counts[at], [own, 'and', holds, ...(query === undefined ? [] : (['and', query] as const))]];
      }),
    ),
};

/** All entities that satisfy a query, whether they have events or not. */
const EVERYBODY = {
  ...{ event: { act: {} }, interval: 'years', 'at-least': 0 },
  between: betweenOf({ start: EARLIEST, end: LATEST }),
};

async function differencesOf<K extends Kind>(
  kind: K,
  { server, worlds, prng }: { server: BehaviourServer; worlds: readonly GeneratedHistory[]; prng: Prng },
): Promise<{ readonly compared: number; readonly wrong: readonly object[] }> {
  const wrong: object[] = [];
  let compared = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const world = prng.pick(worlds);
    const question = generateQuestion(kind, prng, world);
    const [text] = await server.answers(kind, [question]);
    const all = NUMBERS[kind](question, JSON.parse(text) as never);
    const some = all.filter(() => all.length <= NUMBERS_MAX || prng.chance(NUMBERS_MAX / all.length));
    const { dimension } = world;
    const counts = await server.answers(
      'count/entity',
      some.map(([, query]) => ({ dimension, query })),
    );
    some.forEach(([number, query], index) => {
      if (counts[index] !== String(number)) wrong.push({ question, query, found: counts[index], number });
    });
    compared += some.filter(([number]) => number > 0).length;
  }
  return { compared, wrong };
}

t.test('numbers of entities are counts of conditions', async (t) => {
  const prng = new Prng(SEED);
  const worlds = Array.from({ length: 3 }, (_, index) => generateHistory(prng, `h${index}`));
  const server = await BehaviourServer.start(t, 2, worlds);
  for (const kind of Object.keys(NUMBERS) as Kind[]) {
    const { compared, wrong } = await differencesOf(kind, { server, worlds, prng });
    t.strictSame(wrong.slice(0, 3), [], `${kind}: ${wrong.length} differ`);
    t.ok(compared > 0, `${kind}: ${compared} numbers other than 0`);
  }
});
