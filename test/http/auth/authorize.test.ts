/** Authorization of a key and an address for an endpoint, without a transport. */
import t from 'tap';
import { ManualClock, QuarryError } from '../../../src/base/index.js';
import { DEFAULT_PROPERTIES, hashOfKey } from '../../../src/catalog/index.js';
import { AddressBook } from '../../../src/http/auth/addresses.js';
import { Authorizer, type Credentials, type RequestContext } from '../../../src/http/auth/authorize.js';
import { Sessions } from '../../../src/http/auth/sessions.js';
import { ENDPOINTS } from '../../../src/http/endpoints/endpoints.js';
import { SPEC_LIMITS } from '../../../src/http/limits/limit-table.js';
import { RateLimiter } from '../../../src/http/limits/limits.js';
import { DATABASE_ID, FakeEngine, KEYS } from '../fake-engine.js';

const found = ENDPOINTS.find(({ method, path }) => method === 'POST' && path === '/v1/sql');
if (found === undefined) throw new Error('there is not an endpoint for SQL');
const SQL = found;

function setUp() {
  const engine = new FakeEngine();
  const clock = new ManualClock(0);
  const limits = { ...SPEC_LIMITS, requestsPerMinute: new Map([['POST /v1/sql', 2]]) };
  const authorizer = new Authorizer({
    engine,
    clock,
    elapsedMs: () => 0,
    sessions: new Sessions((count) => new Uint8Array(count), null),
    addresses: new AddressBook(async () => []),
    limiter: new RateLimiter(limits, ENDPOINTS),
  });
  const observed: string[] = [];
  const observer = {
    found: () => observed.push('found'),
    identified: ({ kind }: { readonly kind: string }) => observed.push(kind),
    limited: () => observed.push('limited'),
  };
  const authorize = (key: string | null): RequestContext => {
    const credentials: Credentials = { key, peer: { address: '198.51.100.1' } };
    return authorizer.authorize(credentials, SQL, observer);
  };
  const codeOf = (key: string | null): number | null => {
    try {
      authorize(key);
      return null;
    } catch (error) {
      if (error instanceof QuarryError) return error.code;
      throw error;
    }
  };
  return { engine, clock, authorizer, authorize, codeOf, observed };
}

t.test('a refusal reports the first failed check in the order of the interface', async (t) => {
  const { engine, codeOf, observed } = setUp();
  const properties = { ...DEFAULT_PROPERTIES, addressesWhitelist: ['192.0.2.1'] };
  engine.apply({ change: 'database-changed', databaseId: DATABASE_ID, name: 'quarry', properties });
  engine.apply({ change: 'account-set', state: 'banned' });
  engine.ready = false;
  t.equal(codeOf(null), 9004);
  engine.ready = true;
  t.strictSame([codeOf(null), codeOf(''), codeOf('wrong')], [500, 501, 502]);
  t.strictSame(observed, []);
  t.equal(codeOf(KEYS.write), 1002);
  engine.apply({ change: 'account-set', state: 'active' });
  t.equal(codeOf(KEYS.write), 504);
  const open = { ...properties, addressesWhitelist: [] };
  engine.apply({ change: 'database-changed', databaseId: DATABASE_ID, name: 'quarry', properties: open });
  t.equal(codeOf(KEYS.team), 503);
  t.equal(codeOf(KEYS.master), null);
  t.strictSame(observed, ['write', 'write', 'team', 'master', 'limited']);
});

t.test('authorization counts no request; counting and noting are separate steps', async (t) => {
  const { engine, authorizer, authorize } = setUp();
  for (let round = 0; round < 10; round++) authorize(KEYS.master);
  const context = authorize(KEYS.master);
  authorizer.countRequest(context);
  authorizer.countRequest(context);
  t.throws(() => authorizer.countRequest(context), { code: 1502 });
  t.strictSame(engine.notedRequests, []);
  authorizer.noteRequest(context);
  t.strictSame(engine.notedRequests, [{ databaseId: DATABASE_ID, isQuery: true }]);
});

t.test('the last authorized use of custom keys is known until they are deleted', async (t) => {
  const { engine, clock, authorizer, authorize, codeOf } = setUp();
  const levels = { reader: 'write-read', writer: 'write-only' } as const;
  for (const [name, level] of Object.entries(levels)) {
    engine.apply({
      change: 'key-created',
      key: {
        ...{ kind: 'custom', databaseId: DATABASE_ID, hash: hashOfKey(name), name, level, description: '' },
        ...{ columnsWhitelist: null, filter: [], addressesWhitelist: [] },
      },
    });
  }
  const used = (): unknown => Object.keys(levels).map((name) => authorizer.lastUsedMs(hashOfKey(name)));
  t.strictSame(used(), [null, null]);
  clock.advance(5);
  authorize('reader');
  authorize(KEYS.master);
  t.equal(codeOf('writer'), 507);
  t.strictSame(used(), [5, null], 'a refused request is no use');
  clock.advance(5);
  authorize('reader');
  t.strictSame(used(), [10, null]);
});

t.test('the uses of deleted keys are forgotten', async (t) => {
  const { engine, authorizer, authorize } = setUp();
  const hashes = Array.from({ length: 20 }, (_, number) => hashOfKey(`key ${number}`));
  for (const [number, hash] of hashes.entries()) {
    const key = {
      ...({ kind: 'custom', databaseId: DATABASE_ID, hash, name: 'k', level: 'write-read' } as const),
      ...{ description: '', columnsWhitelist: null, filter: [], addressesWhitelist: [] },
    };
    engine.apply({ change: 'key-created', key });
    authorize(`key ${number}`);
    engine.apply({ change: 'key-deleted', hash });
  }
  const known = hashes.filter((hash) => authorizer.lastUsedMs(hash) !== null);
  t.ok(known.length <= engine.catalog().keys.size + 1, `${known.length} uses are in memory`);
});
