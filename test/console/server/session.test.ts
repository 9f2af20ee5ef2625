/** The storage of keys, and the reading of answers and refusals. */
import t from 'tap';
import { refusalsOf } from '../../../src/console/server/client.js';
import { columnOf, dimensionOf } from '../../../src/console/server/model.js';
import { type KeyStore, type Session, SessionStore } from '../../../src/console/server/session.js';
import { MODEL, WITHOUT_SIZES } from '../model.js';

function memory(): KeyStore & { readonly stored: Map<string, string> } {
  const stored = new Map<string, string>();
  return {
    stored,
    getItem: (name) => stored.get(name) ?? null,
    setItem: (name, text) => void stored.set(name, text),
    removeItem: (name) => void stored.delete(name),
  };
}

const SESSION: Session = { databaseKey: 'k1', teamKey: null, email: null, database: null };

t.test(
  'a key is stored for the tab, on the device only on request, and nowhere after signing out',
  async (t) => {
    const [tab, device] = [memory(), memory()];
    const store = new SessionStore(tab, device);
    store.keep(SESSION, false);
    t.strictSame([tab.stored.size, device.stored.size], [1, 0]);
    t.strictSame(store.read(), SESSION);
    store.keep(SESSION, true);
    t.strictSame([tab.stored.size, device.stored.size], [0, 1]);
    t.strictSame(new SessionStore(memory(), device).read(), SESSION, 'another tab');
    store.clear();
    t.strictSame([tab.stored.size, device.stored.size, store.read()], [0, 0, null]);
    tab.setItem('quarry-session', '{damaged');
    t.equal(store.read(), null);
  },
);

t.test('a refusal contains every error with its code and details', async (t) => {
  const text =
    '{"errors":[{"code":6000,"message":"no","more_info":{"line":1}},{"code":3000,"message":"b"}],"status":"error"}';
  t.strictSame(refusalsOf(400, text), [
    { code: 6000, message: 'no', detail: { line: 1 } },
    { code: 3000, message: 'b', detail: null },
  ]);
  const page = refusalsOf(502, '<h1>Bad gateway</h1>');
  t.strictSame(page, [
    { code: null, message: 'the server answered 502: <h1>Bad gateway</h1>', detail: null },
  ]);
});

t.test('the model contains sizes if the key may see them', async (t) => {
  const airports = dimensionOf(MODEL, 'airports');
  t.strictSame([MODEL.database, airports?.entities, airports?.bytes], ['quarry', 3, 900]);
  t.match(columnOf(airports, 'delay'), {
    kind: 'number',
    isEvent: true,
    events: 7,
    bytes: 56,
    isActive: true,
  });
  t.match(columnOf(airports, 'old'), { isActive: false, kind: 'number' });
  t.match(columnOf(airports, 'tags'), { isList: true });
  t.strictSame(
    WITHOUT_SIZES.dimensions.map(({ name, entities }) => [name, entities]),
    [
      ['default', null],
      ['airports', null],
    ],
  );
});
