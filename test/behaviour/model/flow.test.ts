/** Answers of the models of flows, sessions and overlaps, computed by hand. */
import t from 'tap';
import { answerFlow } from './flow.js';
import { at, COLUMN, entitiesHistory, entity, letter, lettersHistory } from './letters.js';
import { Float } from './numbers.js';
import { answerOverlap } from './overlap.js';
import { answerSessions } from './sessions.js';

const node = (value: string, count: number) => ({ column: COLUMN, value, count });

t.test('a flow counts what follows the first matching event', async (t) => {
  const history = lettersHistory('a0 a1 b3', 'a0 b1', 'c0 a5', 'b0');
  t.strictSame(answerFlow({ start: letter('a'), depth: 3, limit: 1 }, history), {
    levels: [
      { nodes: [node('a', 3)], ended: 1 },
      { nodes: [node('a', 1), { others: true, count: 1 }], ended: 1 },
      { nodes: [node('b', 1)], ended: 1 },
    ],
    links: [
      { level: 1, from: 0, to: 0, count: 1, 'median-seconds': 1 },
      { level: 1, from: 0, to: 1, count: 1, 'median-seconds': 1 },
      { level: 2, from: 0, to: 0, count: 1, 'median-seconds': 2 },
    ],
  });
});

t.test('a flow backwards, within a duration, without repetitions', async (t) => {
  const fields = { start: letter('b'), depth: 2, direction: 'before' as const };
  t.strictSame(answerFlow({ ...fields, collapse: true }, lettersHistory('c0 a1 a2 b9 b10')), {
    levels: [
      { nodes: [node('b', 1)], ended: 0 },
      { nodes: [node('a', 1)], ended: 0 },
    ],
    links: [{ level: 1, from: 0, to: 0, count: 1, 'median-seconds': 8 }],
  });
  t.strictSame(answerFlow({ ...fields, within: '2sec', from: 'every' }, lettersHistory('a0 b9 b10')), {
    levels: [
      { nodes: [node('b', 2)], ended: 1 },
      { nodes: [node('b', 1)], ended: 1 },
    ],
    links: [{ level: 1, from: 0, to: 0, count: 1, 'median-seconds': 1 }],
  });
});

t.test('sessions end at gaps and before starts', async (t) => {
  const history = lettersHistory('a0 b5 b11', 'a0 c6 b6', '', 'a99');
  const fields = { stream: [COLUMN], gap: '5sec', starts: [letter('c')] };
  t.strictSame(answerSessions(fields, history), {
    sessions: 6,
    entities: 3,
    'single-event': 5,
    seconds: { avg: new Float(5 / 6), median: 0, p90: 5 },
    events: { avg: new Float(7 / 6), median: 1, p90: 2 },
  });
  t.match(answerSessions({ ...fields, between: [at(1), at(50)] }, history), { sessions: 4, entities: 2 });
});

t.test('overlaps count the entities in exactly some segments', async (t) => {
  const history = entitiesHistory([
    entity('e1', '', { x: 1, y: 1 }),
    entity('e2', '', { x: 1 }),
    entity('e3', '', { y: 1 }),
    entity('e4', ''),
  ]);
  const segments = ['y', 'x'].map((name) => ({ name, query: [{ [name]: { equals: 1 } }] }));
  t.strictSame(answerOverlap({ segments }, history), {
    segments: [
      { name: 'y', count: 2 },
      { name: 'x', count: 2 },
    ],
    combinations: [
      { in: ['x'], count: 1 },
      { in: ['y'], count: 1 },
      { in: ['y', 'x'], count: 1 },
    ],
  });
});
