/**
 * Segments of segments, with queries and with IDs, beside writes of every kind and restarts: their members are always those of a
 * model, in counts, extractions, updates and deletes.
 */
import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { ConformanceServer } from '../support/conformance-server.js';
import { type List, World } from './world.js';

const SEED = Number(process.env.QUARRY_SEED ?? Date.now() % 1_000_000);
const ROUNDS = Number(process.env.QUARRY_TEST_ROUNDS ?? 60);
const ENTITIES = 400;
const SEGMENTS = 6;
t.comment(`seed ${SEED}, ${ROUNDS} rounds`);
t.setTimeout(120_000 + ROUNDS * 1_000);

class Site {
  readonly prng: Prng;
  readonly world: World;
  readonly server: ConformanceServer;

  constructor(prng: Prng, server: ConformanceServer) {
    this.prng = prng;
    this.world = new World(prng);
    this.server = server;
  }

  async send<T = unknown>(method: string, path: string, body: object): Promise<T> {
    const { status, text } = await this.server.send(method, path, JSON.stringify(body));
    if (status !== 200) throw new Error(`${method} ${path} ${JSON.stringify(body)}: HTTP ${status} ${text}`);
    return JSON.parse(text) as T;
  }

  #id(): string {
    return this.world.idOf(this.prng.below(ENTITIES * 1.2));
  }

  async insert(count: number): Promise<void> {
    const ids = new Set(Array.from({ length: count }, () => this.#id()));
    await this.send(
      'POST',
      '/v1/insert',
      Object.fromEntries([...ids].map((id) => [id, this.world.insert(id)])),
    );
  }

  /** Makes or changes the segment: it may name those before it. */
  async define(at: number): Promise<void> {
    const { prng, world } = this;
    const name = `s${at}`;
    const before = Array.from({ length: at }, (_, index) => `s${index}`);
    const isStatic = prng.chance(0.35);
    const ids = Array.from({ length: prng.between(0, ENTITIES / 4) }, () => this.#id());
    const members = isStatic ? { ids } : { query: world.list(before) };
    const isNew = !world.segments.has(name);
    if (isNew) await this.send('POST', '/v1/segment', { name, ...members });
    else await this.send('PUT', `/v1/segment/${name}`, members);
    world.segments.set(name, 'ids' in members ? { ids: new Set(ids) } : { query: members.query as List });
  }

  async changeIds(): Promise<void> {
    const { prng, world } = this;
    const statics = [...world.segments].flatMap(([name, segment]) =>
      'ids' in segment ? [{ name, ids: segment.ids }] : [],
    );
    if (statics.length === 0) return;
    const { name, ids } = prng.pick(statics);
    const some = Array.from({ length: prng.between(1, 20) }, () => this.#id());
    if (prng.chance(0.5)) {
      await this.send('POST', `/v1/segment/${name}/ids`, { ids: some });
      for (const id of some) ids.add(id);
    } else {
      const { removed } = await this.send<{ removed: number }>('DELETE', `/v1/segment/${name}/ids`, {
        ids: some,
      });
      const known = new Set(some.filter((id) => ids.delete(id)));
      if (removed !== known.size) throw new Error(`${removed} instead of ${known.size} IDs were removed`);
    }
  }

  /** Updates or deletes the members of a list that names segments. */
  async mutate(): Promise<void> {
    const { prng, world } = this;
    const query = world.list([...world.segments.keys()]);
    const members = world.members(query);
    const isDelete = prng.chance(0.4) && members.length < ENTITIES / 4;
    const set = { age: prng.between(1, 60) };
    const path = isDelete ? '/v1/delete' : '/v1/update';
    const { result } = await this.send<{ result: { updated?: number; deleted?: number } }>(
      ...(['POST', path, isDelete ? { query } : { query, set }] as const),
    );
    const changed = result.updated ?? result.deleted;
    if (changed !== members.length) {
      throw new Error(`${JSON.stringify(query)} changed ${changed} instead of ${members.length} entities`);
    }
    for (const id of members) {
      if (isDelete) world.entities.delete(id);
      else Object.assign(world.entities.get(id) as object, set);
    }
  }

  async count(query: List): Promise<number> {
    const body = { 'query-name': 'q', query, 'bypass-cache': this.prng.chance(0.7) };
    return (await this.send<{ result: { q: number } }>('POST', '/v1/query/count/entity', body)).result.q;
  }

  /** Segments, and lists that name them, whose numbers of members differ from the model's. */
  async differences(): Promise<object[]> {
    const { prng, world } = this;
    const names = [...world.segments.keys()];
    const lists = names.map((segment): List => (prng.chance(0.8) ? [{ segment }] : ['not', { segment }]));
    const wrong: object[] = [];
    for (const list of [...lists, world.list(names)]) {
      const [found, expected] = [await this.count(list), world.members(list).length];
      if (found !== expected) wrong.push({ list, found, expected });
    }
    return wrong;
  }
}

const STEPS: readonly ((site: Site) => Promise<void>)[] = [
  (site) => site.insert(site.prng.between(1, 30)),
  (site) => site.insert(site.prng.between(1, 3)),
  (site) => site.changeIds(),
  (site) => site.changeIds(),
  (site) => site.define(site.prng.below(SEGMENTS)),
  (site) => site.mutate(),
];

for (const shards of [1, 2, 5]) {
  t.test(`segments on ${shards} shards`, async (t) => {
    const prng = new Prng(SEED + shards);
    const server = await ConformanceServer.start(true, { shards, workers: Math.min(shards, 2) });
    t.teardown(() => server.stop());
    const site = new Site(prng, server);
    await site.send('POST', '/v1/column', [
      { name: 'age', type: 'integer' },
      { name: 'country', type: 'string' },
      { name: 'visit', type: 'string-event' },
    ]);
    for (let at = 0; at < ENTITIES / 100; at++) await site.insert(100);
    for (let at = 0; at < SEGMENTS; at++) await site.define(at);
    for (let round = 0; round < ROUNDS; round++) {
      await prng.pick(STEPS)(site);
      if (round === Math.floor(ROUNDS / 3)) await server.restartFromLog();
      if (round === Math.floor(ROUNDS / 2)) await server.checkpoint();
      if (round === Math.floor((ROUNDS * 2) / 3)) await server.restart();
      const wrong = await site.differences();
      t.strictSame(wrong.slice(0, 3), [], `round ${round}`);
      if (wrong.length > 0) return;
    }
    const [name] = [...site.world.segments.keys()].slice(-1);
    const columns = ['entity-id'];
    const { data } = await site.send<{ data: { 'entity-id': string }[] }>(
      'POST',
      '/v1/data_extraction/result',
      {
        ...{ query: [{ segment: name }], columns, limit: 1_000 },
      },
    );
    t.strictSame(data.map((row) => row['entity-id']).sort(), site.world.members([{ segment: name }]));
  });
}
