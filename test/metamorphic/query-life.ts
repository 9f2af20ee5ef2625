/**
 * A database with generated columns, inserts, updates and deletes, which go to both a server and the row-at-a-time model.
 * In addition to the dimensions of a generated schema it has one with more entities than two pages.
 */
import type { Json, JsonObject } from '../../src/api/index.js';
import { parseJson } from '../../src/api/index.js';
import { Prng } from '../../src/base/index.js';
import type { ConformanceServer } from '../support/conformance-server.js';
import {
  type GeneratedSchema,
  generateDelete,
  generateInsert,
  generateSchema,
  generateUpdate,
  jsonObject,
  jsonText,
  num,
} from '../support/generate.js';
import { type QueryWorld, recentDate } from '../support/generate-queries.js';
import { RowModel } from '../support/model.js';

const ID_COUNT = 250;
const PAGED = 'paged';
const PAGED_ENTITIES = 3000;
const PER_REQUEST = 1000;
/** Texts whose order by code points differs from their order by UTF-16 code units, and texts that equal others. */
const MORE_TEXTS = ['\uff41bc', '\ufffd', '😀', 'a', 'ab', '10', '9'];

const PAGED_COLUMNS: Json = [
  jsonObject({ name: 'word', type: 'string', dimension: PAGED }),
  jsonObject({ name: 'size', type: 'integer', dimension: PAGED }),
  jsonObject({ name: 'price', type: 'decimal', 'decimal-places': num(2), dimension: PAGED }),
  jsonObject({ name: 'day', type: 'date', dimension: PAGED }),
  jsonObject({ name: 'spot', type: 'geolocation', dimension: PAGED }),
];

export class QueryLife {
  readonly model = new RowModel();
  readonly world: QueryWorld;
  readonly prng: Prng;
  server: ConformanceServer;
  readonly #schema: GeneratedSchema;

  /** `startMs`: any time before the requests. */
  constructor(server: ConformanceServer, seed: number, startMs: number) {
    this.server = server;
    this.prng = new Prng(seed);
    this.#schema = generateSchema(this.prng);
    const startSeconds = Math.floor(startMs / 3_600_000) * 3600;
    this.world = { schema: this.#schema, idCount: ID_COUNT, startSeconds };
  }

  async #post(path: string, body: Json): Promise<JsonObject> {
    const { status, text } = await this.server.post(path, jsonText(body));
    if (status !== 200) throw new Error(`${path} ${jsonText(body).slice(0, 500)}: HTTP ${status}, ${text}`);
    return parseJson(Buffer.from(text)) as JsonObject;
  }

  async createColumns(): Promise<void> {
    const body = [...(this.#schema.body as readonly Json[]), ...(PAGED_COLUMNS as readonly Json[])].map(
      (column) =>
        new Map([['api-name', (column as JsonObject).get('name') as Json], ...(column as JsonObject)]),
    );
    await this.#post('/v1/column', body);
    this.model.createColumns(body);
    this.model.createDimension('second');
  }

  async #insertBody(body: Json): Promise<void> {
    await this.#post('/v1/insert', body);
    this.model.insert(body, 0);
  }

  async insert(entityCount: number): Promise<void> {
    const body = generateInsert(this.prng, this.#schema, { entityCount, idCount: ID_COUNT, undated: 0 });
    await this.#insertBody(this.#varied(body));
  }

  /** Makes some events recent, and adds texts whose orders differ. */
  #varied(json: Json): Json {
    if (Array.isArray(json)) return json.map((item) => this.#varied(item));
    if (!(json instanceof Map)) return json;
    return new Map(
      [...(json as JsonObject)].map(([key, value]): [string, Json] => {
        if (key === 'date' && typeof value === 'string' && this.prng.chance(0.3) && json.has('value')) {
          return [key, recentDate(this.prng, this.world)];
        }
        if (key === 'string' && typeof value === 'string' && this.prng.chance(0.2)) {
          return [key, this.prng.pick(MORE_TEXTS)];
        }
        return [key, this.#varied(value)];
      }),
    );
  }

  async insertPaged(): Promise<void> {
    const { prng } = this;
    for (let from = 0; from < PAGED_ENTITIES; from += PER_REQUEST) {
      const entities = Array.from({ length: PER_REQUEST }, (_, index): [string, Json] => {
        const fields = new Map<string, Json>([['dimension', PAGED]]);
        const columns: [string, () => Json][] = [
          ['word', () => prng.pick(['a', 'b', 'B', '😀', '\uff41', `w${prng.below(500)}`])],
          ['size', () => num(prng.pick([prng.below(5), 2n ** 53n + BigInt(prng.below(3)), -(2n ** 63n)]))],
          ['price', () => num(`${prng.between(-3, 3)}.${prng.pick(['00', '25', '5'])}`)],
          ['day', () => `20${prng.between(10, 30)}-0${prng.between(1, 9)}-01`],
          // Excludes poles and the antimeridian, where one point has two representations.
          ['spot', () => [num(prng.between(-179, 179)), num(prng.between(-89, 89))]],
        ];
        for (const [name, value] of columns) if (prng.chance(0.85)) fields.set(name, value());
        if (fields.size === 1) fields.set('word', 'alone');
        return [`${prng.pick(['p', 'P', '😀', ''])}${from + index}`, fields];
      });
      await this.#insertBody(new Map(entities));
    }
  }

  /** Rejects if the numbers of changed entities differ. */
  async update(): Promise<void> {
    const options = { depthMax: 2, idCount: ID_COUNT, withNow: false, undated: 0 };
    const body = generateUpdate(this.prng, this.#schema, options);
    await this.#mutate('update', body);
  }

  async delete(): Promise<void> {
    const options = { depthMax: 2, idCount: ID_COUNT, withNow: false };
    await this.#mutate('delete', generateDelete(this.prng, this.#schema, options));
  }

  async deletePaged(): Promise<void> {
    const digit = String(this.prng.below(10));
    const query = [jsonObject({ 'entity-id': jsonObject({ 'ends-with': digit }) })];
    await this.#mutate('delete', jsonObject({ dimension: PAGED, query }));
  }

  async #mutate(kind: 'update' | 'delete', body: Json): Promise<void> {
    const answer = await this.#post(`/v1/${kind}`, body);
    const expected = this.model[kind](body, Date.now());
    const found = jsonText(answer.get('result') ?? null);
    if (found !== `{"${kind}d":${expected}}`)
      throw new Error(`${kind} ${jsonText(body)}: ${found}, expected ${expected}`);
  }

  /** Bodies of POST /v1/data_extraction/result that need several pages. */
  pagedBodies(count: number): Json[] {
    const { prng } = this;
    return Array.from({ length: count }, () => {
      const body = new Map<string, Json>([
        ['dimension', PAGED],
        ['columns', prng.pick<Json>(['all', ['entity-id', 'size'], ['word', 'price', 'entity-id'], ['day']])],
        ['limit', num(prng.pick([1024, 1025, 2048, 2049, 1500, 3000, 1_000_000]))],
      ]);
      const everyone: Json = jsonObject({ 'entity-id': jsonObject({ 'not-equals': 'nobody' }) });
      if (prng.chance(0.2)) {
        const near = jsonObject({
          longitude: num(prng.between(-180, 179) + 0.3),
          latitude: num(prng.between(-89, 89) + 0.2),
          limit: num(prng.pick([1500, 2048, 5000])),
          show_coordinates: true,
        });
        return body.set('query', [jsonObject({ spot: jsonObject({ geo_near: near }) })]);
      }
      const some: Json = jsonObject({ size: jsonObject({ gte: num(prng.between(0, 2)) }) });
      body.set('query', [prng.chance(0.6) ? everyone : some]);
      const names = ['word', 'size', 'price', 'day', 'entity-id'].filter(() => prng.chance(0.4));
      const order = names.map((name): Json => jsonObject({ [name]: prng.pick(['asc', 'desc']) }));
      return order.length === 0 ? body : body.set('order', order);
    });
  }
}
