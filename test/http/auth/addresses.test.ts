import t from 'tap';
import { applyChanges, type Catalog, DEFAULT_PROPERTIES, EMPTY_CATALOG } from '../../../src/catalog/index.js';
import { AddressBook } from '../../../src/http/auth/addresses.js';

/** A catalog with one database and, unless it is null, one custom key. */
function catalogOf(ofDatabase: readonly string[], ofKey: readonly string[] | null = null): Catalog {
  const catalog = applyChanges(EMPTY_CATALOG, [
    {
      change: 'database-created',
      id: 1,
      name: 'a',
      type: 'test',
      properties: { ...DEFAULT_PROPERTIES, addressesWhitelist: ofDatabase },
    },
  ]);
  if (ofKey === null) return catalog;
  const key = {
    kind: 'custom',
    hash: 'h',
    databaseId: 1,
    name: 'k',
    level: 'read-only',
    description: '',
    columnsWhitelist: null,
    filter: [],
    addressesWhitelist: ofKey,
  } as const;
  return applyChanges(catalog, [{ change: 'key-created', key }]);
}

/** A name server that answers when the test calls `answer`. */
class FakeNames {
  readonly lookedUp: string[] = [];
  names: Record<string, readonly string[]> = {};
  fault = 'ENOTFOUND';
  /** While true, lookups wait for `answer`. */
  slow = false;
  #waiting: (() => void)[] = [];

  readonly lookUp = async (host: string): Promise<readonly string[]> => {
    this.lookedUp.push(host);
    if (this.slow) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.names[host] === undefined) throw Object.assign(new Error('no name'), { code: this.fault });
    return this.names[host];
  };

  answer(): void {
    for (const go of this.#waiting.splice(0)) go();
  }
}

t.test('an empty whitelist admits every address, any other whitelist only its entries', (t) => {
  const book = new AddressBook(new FakeNames().lookUp);
  t.equal(book.admits([], '192.0.2.1'), true);
  t.equal(book.admits([], ''), true);
  const list = ['192.0.2.0/24', '2001:db8::1'];
  t.equal(book.admits(list, '192.0.2.1'), true);
  t.equal(book.admits(list, '::ffff:192.0.2.1'), true);
  t.equal(book.admits(list, '2001:0db8:0000:0000:0000:0000:0000:0001'), true);
  t.equal(book.admits(list, '198.51.100.1'), false);
  t.equal(book.admits(list, ''), false);
  t.end();
});

t.test('host names of databases and keys are looked up once each when the catalog changes', async (t) => {
  const dns = new FakeNames();
  dns.names = { 'a.example': ['192.0.2.1', '2001:db8::1'], 'b.example': ['192.0.2.2'] };
  const book = new AddressBook(dns.lookUp);
  const ofDatabase = ['A.example', '10.0.0.0/8'];
  const ofKey = ['b.example', 'a.example', 'nowhere.example'];
  const catalog = catalogOf(ofDatabase, ofKey);
  t.equal(book.admits(ofDatabase, '192.0.2.1'), false, 'before the first lookup');
  book.see(catalog);
  book.see(catalog);
  t.equal(book.settled, false);
  await book.whenSettled(1000);
  t.equal(book.settled, true);
  t.strictSame(dns.lookedUp.sort(), ['a.example', 'b.example', 'nowhere.example']);
  t.equal(book.admits(ofDatabase, '192.0.2.1'), true);
  t.equal(book.admits(ofDatabase, '10.9.9.9'), true);
  t.equal(book.admits(ofDatabase, '192.0.2.2'), false);
  t.equal(book.admits(ofKey, '192.0.2.2'), true);
  t.equal(book.admits(ofKey, '2001:db8::1'), true);
  t.equal(book.admits(['nowhere.example'], '192.0.2.1'), false, 'a name without addresses admits no address');
  book.see(catalogOf(['c.example', 'a.example']));
  await book.whenSettled(1000);
  t.strictSame(dns.lookedUp.slice(3), ['c.example'], 'only new names are looked up');
  t.equal(book.admits(['b.example'], '192.0.2.2'), false, 'names that are in no whitelist are forgotten');
});

t.test(
  'a refresh uses the new addresses, and keeps the old ones if the name server cannot be reached',
  async (t) => {
    const dns = new FakeNames();
    dns.names = { 'a.example': ['192.0.2.1'] };
    const book = new AddressBook(dns.lookUp);
    const list = ['a.example'];
    const refreshed = async (): Promise<boolean[]> => {
      book.refresh();
      await book.whenSettled(1000);
      return ['192.0.2.1', '192.0.2.2'].map((address) => book.admits(list, address));
    };
    book.see(catalogOf(list));
    await book.whenSettled(1000);
    dns.names = { 'a.example': ['192.0.2.2'] };
    t.strictSame(await refreshed(), [false, true]);
    dns.names = {};
    dns.fault = 'EAI_AGAIN';
    t.strictSame(await refreshed(), [false, true]);
    dns.fault = 'ENOTFOUND';
    t.strictSame(await refreshed(), [false, false]);
  },
);

t.test(
  'the wait for a slow name server is limited; it gets one query per name, and the name admits no address before',
  async (t) => {
    const dns = new FakeNames();
    dns.names = { 'a.example': ['192.0.2.1'], 'b.example': ['192.0.2.2'] };
    dns.slow = true;
    const book = new AddressBook(dns.lookUp);
    const list = ['a.example'];
    book.see(catalogOf(list, ['b.example']));
    book.refresh();
    await book.whenSettled(5);
    t.strictSame(dns.lookedUp, ['a.example', 'b.example']);
    t.equal(book.settled, false);
    t.equal(book.admits(list, '192.0.2.1'), false);
    book.see(catalogOf(list));
    dns.answer();
    await book.whenSettled(1000);
    t.equal(book.admits(list, '192.0.2.1'), true);
    t.equal(book.admits(['b.example'], '192.0.2.2'), false, 'an answer for a removed name is discarded');
    t.equal(book.settled, true);
  },
);

/** A name server whose answers the test sends one by one. */
class DelayedNames {
  readonly lookedUp: string[] = [];
  readonly answers = new Map<string, (addresses: readonly string[]) => void>();

  readonly lookUp = (host: string): Promise<readonly string[]> => {
    this.lookedUp.push(host);
    return new Promise((resolve) => this.answers.set(host, resolve));
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('four names are looked up at a time, the others in order as answers arrive', async (t) => {
  const dns = new DelayedNames();
  const book = new AddressBook(dns.lookUp);
  const hosts = Array.from({ length: 10 }, (_, index) => `h${index}.example`);
  book.see(catalogOf(hosts));
  book.refresh();
  await turn();
  t.strictSame(dns.lookedUp, hosts.slice(0, 4));
  for (const [at, host] of hosts.entries()) {
    dns.answers.get(host)?.(['192.0.2.1']);
    await turn();
    t.strictSame(dns.lookedUp, hosts.slice(0, 5 + at), host);
    t.equal(book.admits([host], '192.0.2.1'), true);
  }
  await book.whenSettled(1000);
  t.equal(book.settled, true);
});

t.test('a name that was removed from all whitelists before its turn is not looked up', async (t) => {
  const dns = new DelayedNames();
  const book = new AddressBook(dns.lookUp);
  const hosts = ['a.example', 'b.example', 'c.example', 'd.example', 'e.example', 'f.example'];
  book.see(catalogOf(hosts));
  await turn();
  book.see(catalogOf(['f.example']));
  for (const host of hosts.slice(0, 4)) dns.answers.get(host)?.([]);
  await turn();
  t.strictSame(dns.lookedUp, [...hosts.slice(0, 4), 'f.example']);
  dns.answers.get('f.example')?.(['192.0.2.1']);
  await book.whenSettled(1000);
  book.see(catalogOf(['e.example', 'f.example']));
  await turn();
  t.equal(dns.lookedUp.at(-1), 'e.example', 'the name is looked up when it is added again');
  dns.answers.get('e.example')?.([]);
  await book.whenSettled(1000);
});

t.test(
  'a name without an answer yields to the next, keeps its old addresses, and accepts a late answer',
  async (t) => {
    const dns = new DelayedNames();
    const book = new AddressBook(dns.lookUp, 5);
    const list = ['a.example'];
    book.see(catalogOf(list));
    await turn();
    dns.answers.get('a.example')?.(['192.0.2.1']);
    await book.whenSettled(1000);
    const silent = ['b.example', 'c.example', 'd.example', 'e.example', 'f.example'];
    const all = catalogOf(list, silent);
    book.see(all);
    book.refresh();
    await book.whenSettled(10_000);
    t.strictSame(dns.lookedUp, ['a.example', ...silent, 'a.example']);
    t.equal(book.settled, true);
    t.equal(book.admits(list, '192.0.2.1'), true, 'the old addresses');
    t.equal(book.admits(silent, '192.0.2.1'), false);
    book.refresh();
    await turn();
    t.equal(dns.lookedUp.length, 7, 'no name is looked up again before its answer');
    dns.answers.get('a.example')?.(['192.0.2.2']);
    await turn();
    t.strictSame(
      ['192.0.2.1', '192.0.2.2'].map((address) => book.admits(list, address)),
      [false, true],
    );
    book.refresh();
    await turn();
    t.equal(dns.lookedUp.at(-1), 'a.example');
    dns.answers.get('a.example')?.([]);
    await book.whenSettled(1000);
  },
);
