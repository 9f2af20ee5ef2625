/** A store for tests: an engine with real worker threads that gets the same JSON as from the server. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import {
  bindCountEntity,
  bindExists,
  bindQuery,
  bindTotal,
  bindTotalOfAll,
  createColumns,
  deleteDimension,
  FULL_ACCESS,
  type Json,
} from '../../src/api/index.js';
import { ManualClock, Prng } from '../../src/base/index.js';
import { type CatalogChange, databaseOf } from '../../src/catalog/index.js';
import {
  Engine,
  type EngineOptions,
  type InsertAnswer,
  type Mutation,
  type QueryOptions,
  type ScriptWrite,
} from '../../src/engine/index.js';
import { NodeFileSystem } from '../../src/io/index.js';
import type { DatabaseModel, Dimension } from '../../src/schema/index.js';
import { jsonObject, jsonText } from '../support/generate.js';

const fileOf = (name: string): string => fileURLToPath(new URL(`../../src/${name}`, import.meta.url));

/** 2020-01-01T12:00:00Z: the time of the clock of every test store. */
export const NOW_MS = 1_577_880_000_000;
export const DATABASE_ID = 1;

/** The entry file of worker threads. */
export const workerFile = fileOf('worker/entry.js');

export const SIMD_KERNELS: Uint8Array = fs.readFileSync(fileOf('kernels/kernels.wasm'));

/** A folder that is removed at the end of the test. */
export function makeDir(t: Test): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-store-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Copies the files as a kill -9 would leave them now, with every acknowledged write. */
export function copyDir(t: Test, dir: string): string {
  const copy = makeDir(t);
  fs.cpSync(dir, copy, { recursive: true });
  return copy;
}

/** One write of a script. */
export type TestWrite =
  | { readonly insert: readonly (readonly [string, Json])[] }
  /** If `set` is null, a delete. */
  | { readonly query: Json; readonly set: Json | null };

/** Options without cache and without cancellation. */
export const QUERY_OPTIONS: QueryOptions = { cancellation: null, bypassCache: true };

export class TestStore {
  readonly engine: Engine;
  readonly dir: string;
  /** The logged events. */
  readonly warnings: string[];
  readonly fatals: Error[];
  #closed = false;

  private constructor(engine: Engine, dir: string, warnings: string[], fatals: Error[]) {
    this.engine = engine;
    this.dir = dir;
    this.warnings = warnings;
    this.fatals = fatals;
  }

  /** Opens the store in `dir` and closes it at the end of the test. */
  static async open(t: Test, dir: string, options: Partial<EngineOptions> = {}): Promise<TestStore> {
    const [warnings, fatals]: [string[], Error[]] = [[], []];
    const prng = new Prng(fs.readdirSync(dir).length + 11);
    const engine = await Engine.create({
      fs: new NodeFileSystem(),
      dir,
      workerFile,
      kernels: SIMD_KERNELS,
      workerCount: 1,
      shardCount: null,
      memoryLimitBytes: 4 * 2 ** 30,
      durability: 'fsync',
      clock: new ManualClock(NOW_MS),
      random64: () => BigInt(prng.u32()) * 2n ** 32n + BigInt(prng.u32()),
      randomBytes: (count) => Uint8Array.from({ length: count }, () => prng.below(256)),
      events: {
        info: () => {},
        warn: (event, details) => warnings.push(`${event} ${JSON.stringify(details)}`),
        fatal: (error) => fatals.push(error),
      },
      ...options,
    });
    const store = new TestStore(engine, dir, warnings, fatals);
    t.teardown(() => store.close());
    await engine.start();
    return store;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.engine.close();
  }

  get #model() {
    return databaseOf(this.engine.catalog(), DATABASE_ID);
  }

  /** POST /v1/column */
  async createColumns(body: Json): Promise<void> {
    await this.engine.change((catalog) => createColumns(body, databaseOf(catalog, DATABASE_ID)));
  }

  /** DELETE /v1/dimension */
  async deleteDimension(apiName: string): Promise<void> {
    const body = jsonObject({ 'api-name': apiName });
    await this.engine.change((catalog) => deleteDimension(body, databaseOf(catalog, DATABASE_ID)));
  }

  /** Writes the changes in one record. */
  async apply(...changes: readonly CatalogChange[]): Promise<void> {
    await this.engine.change(() => ({ changes, answer: null }));
  }

  /** POST /v1/insert; `idempotencyId` acts like an Idempotency-Key. */
  insert(body: Json | string, idempotencyId: string | null = null): Promise<InsertAnswer> {
    const text = typeof body === 'string' ? body : jsonText(body);
    return this.engine.insert({
      databaseId: DATABASE_ID,
      body: new Uint8Array(Buffer.from(text)),
      customKey: false,
      columnIds: null,
      idempotencyId,
      charge: () => {},
    });
  }

  /** POST /v1/update with `set`, POST /v1/delete without; `idempotencyId` acts like an Idempotency-Key. */
  mutate(
    query: Json,
    set: Json | null,
    { dimension = 'default', idempotencyId = null as string | null, bodyHash = '' } = {},
  ): Promise<number> {
    const bind = (model: DatabaseModel): Mutation => {
      const bound = model.dimensions.get(dimension) as Dimension;
      const condition = bindQuery(query, bound, NOW_MS);
      return { dimensionId: bound.id, condition, set: set === null ? null : jsonText(set) };
    };
    return this.engine.mutate({
      databaseId: DATABASE_ID,
      customKey: false,
      columnIds: null,
      nowMs: NOW_MS,
      idempotency: idempotencyId === null ? null : { id: idempotencyId, bodyHash },
      charge: () => {},
      bind,
    });
  }

  /** A script of inserts by ID, and updates and deletes by query; `idempotencyId` acts like an Idempotency-Key. */
  script(
    writes: readonly TestWrite[],
    { idempotencyId = null as string | null, bodyHash = '', charge = () => {} } = {},
  ): Promise<readonly number[]> {
    const bind = (model: DatabaseModel): ScriptWrite[] =>
      writes.map((write, statement): ScriptWrite => {
        if ('insert' in write) {
          const rows = write.insert.map(([id, entity]) => `${JSON.stringify(id)}:${jsonText(entity)}`);
          const body = (count: number): Uint8Array => Buffer.from(`{${rows.slice(0, count).join(',')}}`);
          return { write: 'insert', statement, rowCount: rows.length, body };
        }
        const dimension = model.dimensions.get('default') as Dimension;
        const condition = bindQuery(write.query, dimension, NOW_MS);
        const set = write.set === null ? null : jsonText(write.set);
        return { write: 'change', statement, dimensionId: dimension.id, condition, set };
      });
    return this.engine.script({
      databaseId: DATABASE_ID,
      customKey: false,
      columnIds: null,
      nowMs: NOW_MS,
      idempotency: idempotencyId === null ? null : { id: idempotencyId, bodyHash },
      charge,
      bind,
    });
  }

  /** POST /v1/query/count/entity; returns the counts by query name. */
  async count(body: Json): Promise<Map<string, number>> {
    const queries = bindCountEntity(body, this.#model, NOW_MS, FULL_ACCESS);
    const plans = queries.map(({ dimensionId, condition }) => ({
      databaseId: DATABASE_ID,
      dimensionId,
      condition,
    }));
    const counts = await this.engine.countEntities(plans, QUERY_OPTIONS);
    return new Map(queries.map(({ name }, index) => [name, counts[index]]));
  }

  /** The number of entities of a dimension that satisfy a query list. */
  async countOne(query: Json, dimension = 'default'): Promise<number> {
    const counts = await this.count(jsonObject({ 'query-name': 'q', dimension, query }));
    return counts.get('q') as number;
  }

  /** POST /v1/query/count/entity/total; GET if there are no names. */
  async total(dimensions: readonly string[] = []): Promise<number> {
    const plans =
      dimensions.length === 0
        ? bindTotalOfAll(this.#model, NOW_MS, FULL_ACCESS)
        : bindTotal(jsonObject({ dimensions }), this.#model, NOW_MS, FULL_ACCESS);
    const counts = await this.engine.countEntities(plans, QUERY_OPTIONS);
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** POST /v1/query/exists/entity */
  async exists(ids: readonly string[], dimension = 'default'): Promise<readonly boolean[]> {
    const query = bindExists(jsonObject({ ids, dimension }), this.#model, NOW_MS, FULL_ACCESS);
    return this.engine.exist(query.plan, query.ids, QUERY_OPTIONS);
  }
}
