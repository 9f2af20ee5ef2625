/** Links of dashboards. */
import t from 'tap';
import { newBoard } from '../../../src/console/board/board.js';
import { linkOf, SHARED, sharedOf } from '../../../src/console/board/link.js';
import { textOfJson } from '../../../src/console/query/share.js';

const shared = {
  board: { ...newBoard('Läden'), tiles: [{ title: 'a', question: { show: 'count' } }] },
  key: 'k',
};

t.test(
  'a link comes back with its dashboard and its key, and has no other characters than an address',
  async (t) => {
    const link = linkOf(shared);
    t.match(link, /^#shared\/[\w-]+$/);
    t.strictSame(sharedOf(link), shared);
  },
);

t.test('what is damaged, or could change data, is no dashboard', async (t) => {
  const writing = { title: 'a', path: '/v1/sql', body: 'DELETE FROM t' };
  const board = { 'quarry-dashboard': 1, name: 'a', range: { from: '', to: '' }, tiles: [writing] };
  t.equal(sharedOf(SHARED + textOfJson({ key: 'k', board })), null);
  t.not(sharedOf(SHARED + textOfJson({ key: 'k', board: { ...board, tiles: [] } })), null);
  t.equal(sharedOf(SHARED + textOfJson({ board: { ...board, tiles: [] } })), null, 'without a key');
  for (const text of ['', '#explore/x', SHARED, linkOf(shared).slice(0, -5)]) t.equal(sharedOf(text), null);
});
