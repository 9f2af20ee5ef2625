/**
 * Static segments whose IDs change while the server is killed: what was acknowledged is there, each request is there as a whole or
 * not at all, and updates by segments are replayed as they were applied.
 * To run again: node dist/test/crash/client/segments.test.js --seed 1 --kills 20
 */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { killOptions } from './kill-options.js';
import { SqlStore, temporaryDir } from './sql-store.js';

const { kills: KILLS, seed: SEED } = killOptions(3);
t.setTimeout(90_000 + KILLS * 20_000);

const ENTITIES = 3_000;
const CHUNK = 300;
const idOf = (at: number): string => `u${at}`;
const chunk = (at: number): readonly string[] =>
  Array.from({ length: CHUNK }, (_, index) => idOf(at * CHUNK + index));
const CHUNKS = ENTITIES / CHUNK;

const count = async (store: SqlStore, query: readonly unknown[]): Promise<number> =>
  (
    await store.client.succeed<{ result: { q: number } }>({
      path: '/v1/query/count/entity',
      body: { 'query-name': 'q', query, 'bypass-cache': true },
    })
  ).result.q;

/** The chunks of IDs in the segment; fails if one is there in part. */
async function chunksIn(store: SqlStore, name: string): Promise<number[]> {
  const found: number[] = [];
  for (let at = 0; at < CHUNKS; at++) {
    const marked = [{ segment: name }, 'and', { chunk: { equals: at } }];
    const members = await count(store, marked);
    t.ok(members === 0 || members === CHUNK, `chunk ${at} has ${members} members`);
    if (members > 0) found.push(at);
  }
  return found;
}

t.test('a kill in the middle of changes of IDs', async (t) => {
  const dir = temporaryDir(t);
  const random = new Prng(SEED);
  let store = await SqlStore.open(dir);
  t.teardown(() => store.server.kill());
  await store.client.succeed({
    path: '/v1/column',
    body: [
      { name: 'chunk', type: 'integer' },
      { name: 'marked', type: 'integer' },
    ],
  });
  for (let at = 0; at < CHUNKS; at++) {
    const body = Object.fromEntries(chunk(at).map((id) => [id, { chunk: at }]));
    await store.client.succeed({ path: '/v1/insert', body });
  }
  await store.client.succeed({ path: '/v1/segment', body: { name: 'some', ids: chunk(0) } });
  let known = new Set([0]);
  for (let kills = 0; kills < KILLS; kills++) {
    const unsure = new Set<number>();
    let isKilled = false;
    const changing = (async () => {
      while (!isKilled) {
        const at = random.below(CHUNKS);
        const removes = known.has(at);
        unsure.add(at);
        const request = { path: '/v1/segment/some/ids', body: { ids: chunk(at) } };
        try {
          await store.client.succeed({ ...request, method: removes ? 'DELETE' : 'POST' });
        } catch {
          return;
        }
        unsure.delete(at);
        if (removes) known.delete(at);
        else known.add(at);
      }
    })();
    await pause(random.between(20, 400));
    isKilled = true;
    await store.server.kill();
    await changing;
    store = await SqlStore.open(dir);
    const found = new Set(await chunksIn(store, 'some'));
    for (let at = 0; at < CHUNKS; at++) {
      if (!unsure.has(at)) t.equal(found.has(at), known.has(at), `chunk ${at} after kill ${kills}`);
    }
    known = found;
  }
  const members = known.size * CHUNK;
  const update = { query: [{ segment: 'some' }], set: { marked: 1 } };
  const updated = await store.client.succeed<{ result: { updated: number } }>({
    path: '/v1/update',
    body: update,
  });
  t.equal(updated.result.updated, members);
  await store.client.succeed({ path: '/v1/segment/some', method: 'PUT', body: { ids: ['u1', 'new'] } });
  await store.server.kill();
  store = await SqlStore.open(dir);
  t.equal(
    await count(store, [{ marked: { equals: 1 } }]),
    members,
    'the update is replayed with the IDs of its time',
  );
  t.equal(await count(store, [{ segment: 'some' }]), 1);
  await store.client.succeed({ path: '/v1/insert', body: { new: { chunk: 99 } } });
  t.equal(await count(store, [{ segment: 'some' }]), 2, 'an ID is a member as soon as its entity exists');
  await store.client.succeed({ path: '/v1/delete', body: { query: [['not', { segment: 'some' }]] } });
  await store.server.kill();
  store = await SqlStore.open(dir);
  t.equal(await count(store, [{ segment: 'some' }]), 2, 'a delete by a segment is replayed');
  t.equal(await count(store, ['not', { segment: 'some' }]), 0);
});
