/** The order of the rows of a complete result. */
import t from 'tap';
import { answerOrder, type OrderKey, type OrderValue, type RowPosition } from '../../src/ir/index.js';

const UP: OrderKey = { by: 'attribute', columnId: 1, kind: 'i64', descending: false };
const DOWN: OrderKey = { ...UP, descending: true };

const at = (id: string, values: OrderValue[], score: number): RowPosition => ({
  ...{ id, score, distanceKm: 0, values },
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
