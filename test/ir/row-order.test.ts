/** The order of positions. */
import t from 'tap';
import {
  answerOrder,
  type OrderKey,
  type OrderValue,
  positionOrder,
  type RowPosition,
} from '../../src/ir/index.js';

const UP: OrderKey = { by: 'attribute', columnId: 1, kind: 'i64', descending: false };
const DOWN: OrderKey = { ...UP, descending: true };
const NOTHING = { scored: null, near: null, order: [] };
const NEAR = { longitude: 0, latitude: 0, from: 'attribute', columnId: 5, tests: [] } as const;

const at = (id: string, values: OrderValue[] = [], score = 0, distanceKm = 0): RowPosition => ({
  id,
  score,
  distanceKm,
  values,
});

/** The IDs of the positions in order, verified for any input order. */
function sorted(plan: Parameters<typeof positionOrder>[0], positions: readonly RowPosition[]): string[] {
  const [forth, back] = [[...positions], [...positions].reverse()].map((list) =>
    list.sort((a, b) => positionOrder(plan)(a, b)).map(({ id }) => id),
  );
  t.strictSame(forth, back);
  return forth;
}

t.test('missing values are last, ascending and descending', async (t) => {
  const rows = [at('a', [null]), at('b', [-1n]), at('c', [2n ** 63n - 1n]), at('d', [-(2n ** 63n)])];
  t.strictSame(sorted({ ...NOTHING, order: [UP] }, rows), ['d', 'b', 'c', 'a']);
  t.strictSame(sorted({ ...NOTHING, order: [DOWN] }, rows), ['c', 'b', 'd', 'a']);
});

t.test('texts and IDs are ordered by bytes, ties by ID', async (t) => {
  const texts = [
    at('2', ['\u{10000}']),
    at('1', ['\uffff']),
    at('10', ['9']),
    at('9', ['10']),
    at('0', ['9']),
  ];
  t.strictSame(sorted({ ...NOTHING, order: [UP] }, texts), ['9', '0', '10', '1', '2']);
  const ids = [at('\u{10000}', [1n]), at('\uffff', [1n]), at('b', [1n]), at('ba', [1n])];
  t.strictSame(sorted({ ...NOTHING, order: [DOWN] }, ids), ['b', 'ba', '\uffff', '\u{10000}']);
});

t.test('scores descend and ignore values; distances ascend and precede values', async (t) => {
  const rows = [at('a', [5n], 1, 7), at('b', [4n], 2, 9), at('c', [3n], 2, 8), at('d', [3n], 1, 7)];
  t.strictSame(sorted({ ...NOTHING, scored: [], order: [UP] }, rows), ['b', 'c', 'a', 'd']);
  t.strictSame(sorted({ ...NOTHING, near: NEAR, order: [UP] }, rows), ['d', 'a', 'c', 'b']);
  t.strictSame(sorted({ scored: [], near: NEAR, order: [] }, rows), ['b', 'c', 'a', 'd']);
});

t.test('selected rows with a score are returned by their values, then by score, then by ID', async (t) => {
  const rows = [
    at('a', [5n], 9),
    at('b', [3n], 1),
    at('c', [null], 8),
    at('e', [3n], 2),
    at('d', [3n], 2),
    at('f', [4n], 1),
  ].map((position) => ({ position }));
  const ids = (order: readonly OrderKey[]): string =>
    answerOrder({ scored: [], order }, rows)
      .map(({ position }) => position.id)
      .join('');
  t.equal(ids([UP]), 'debfac');
  t.equal(ids([DOWN]), 'afdebc');
  t.equal(answerOrder({ scored: [], order: [] }, rows), rows, 'no order');
  t.equal(answerOrder({ scored: null, order: [UP] }, rows), rows, 'the rows are not scored');
});

t.test('rows without an order have a fixed order, in which each ID has one position', async (t) => {
  const rows = Array.from({ length: 200 }, (_, index) => at(`e${index}`));
  const ids = sorted(NOTHING, rows);
  t.not(String(ids), String([...ids].sort()));
  t.equal(positionOrder(NOTHING)(at('same'), at('same')), 0);
});
