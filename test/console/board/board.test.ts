/** Dashboards as files, in the browser's storage, and with one range of time. */
import t from 'tap';
import { draftOfTile } from '../../../src/console/board/answer-tile.js';
import {
  type Board,
  boardOfText,
  boardText,
  bodyWithin,
  newBoard,
} from '../../../src/console/board/board.js';
import { BoardStore } from '../../../src/console/board/store.js';
import { newDraft } from '../../../src/console/query/draft.js';
import { plainDraft } from '../../../src/console/query/share.js';
import { dimensionOf } from '../../../src/console/server/model.js';
import { MODEL } from '../model.js';

const RANGE = { from: '2026-01-01', to: '2026-01-31' };
const NO_RANGE = { from: '', to: '' };
const question = plainDraft({ ...newDraft(dimensionOf(MODEL, 'airports')), show: 'lifecycle' });
const BOARD: Board = {
  name: 'shop „1“',
  range: RANGE,
  tiles: [
    { title: 'lifecycle', question },
    { title: 'funnel', path: '/v1/query/funnel', body: { 'query-name': 'answer', steps: [] } },
  ],
};

t.test('a dashboard comes back from its file', async (t) => {
  t.strictSame(boardOfText(boardText(BOARD)), BOARD);
});

t.test('a file that is no dashboard, or has a tile that could write, is refused', async (t) => {
  const whole = JSON.parse(boardText(BOARD));
  const tile = (more: object) => ({ ...whole, tiles: [{ ...BOARD.tiles[1], ...more }] });
  t.throws(() => boardOfText('{'), /not JSON/);
  const wrong = [
    null,
    [],
    { ...whole, 'quarry-dashboard': 2 },
    { ...whole, name: ' ' },
    { ...whole, range: { from: 'yesterday', to: '' } },
    { ...whole, tiles: {} },
    { ...whole, tiles: Array.from({ length: 41 }, () => BOARD.tiles[0]) },
    tile({ title: 7 }),
    tile({ body: undefined }),
    ...['/v1/delete', '/v1/sql', '/v1/query/sql', '/v1/query/saved', 'https://example.com/'].map((path) =>
      tile({ path }),
    ),
  ];
  for (const file of wrong)
    t.throws(() => boardOfText(JSON.stringify(file)), /not a dashboard/, JSON.stringify(file));
});

t.test('the storage has the dashboards of each database by name', async (t) => {
  const items = new Map<string, string>();
  const storage = {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, text: string) => void items.set(name, text),
    removeItem: (name: string) => void items.delete(name),
  };
  const store = new BoardStore(storage, 'a');
  store.write(BOARD);
  store.write(newBoard('b'));
  store.write({ ...newBoard('b'), range: RANGE });
  t.strictSame(store.read(), [{ ...newBoard('b'), range: RANGE }, BOARD]);
  t.strictSame(new BoardStore(storage, 'b').read(), []);
  store.remove('b');
  store.remove(BOARD.name);
  t.equal(items.size, 0);
  items.set('quarry-dashboards a', 'damaged');
  t.strictSame(store.read(), []);
});

t.test('one range of time replaces those of questions and metrics, not those of conditions', async (t) => {
  const own = ['2025-01-01', '2025-02-01'];
  const range = ['2026-01-01', '2026-01-31T23:59:59Z'];
  const condition = [{ visit: { between: own } }];
  const within = (path: string, body: object) => bodyWithin(`/v1/query/${path}`, body, RANGE);
  t.strictSame(within('funnel', { query: condition, steps: [] }), {
    query: condition,
    steps: [],
    between: range,
  });
  t.strictSame(
    within('aggregation', { filter: condition, query: [{ state: 3 }, { paid: 'sum', between: own }] }),
    {
      filter: condition,
      query: [{ state: 3 }, { paid: 'sum', between: range }],
    },
  );
  t.strictSame(within('count/entity', { query: condition }), { query: condition });
  t.strictSame(bodyWithin('/v1/query/funnel', { between: own }, NO_RANGE), { between: own });
  t.strictSame(bodyWithin('/v1/query/funnel', { between: own }, { from: '2026-02-01', to: '2026-01-01' }), {
    between: own,
  });

  t.strictSame(draftOfTile(BOARD.tiles[0], MODEL, RANGE)?.window, RANGE);
  t.strictSame(draftOfTile(BOARD.tiles[0], MODEL, NO_RANGE)?.window, NO_RANGE);
  t.equal(draftOfTile({ title: '', question: { ...question, dimension: 'gone' } }, MODEL, RANGE), null);
});
