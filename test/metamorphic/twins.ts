/**
 * Two databases of one server: the whole one contains all rows and is queried with keys that have a row filter; the
 * part contains only the rows that pass the filter and is queried with keys without one. Both must give the same answer
 * to the same request. The row-at-a-time model computes the rows that pass. When an insert meets a hidden row of the
 * whole database, which the part does not have, the two diverge: the part is then corrected with its master key from
 * the model, after the answers were compared.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../src/api/index.js';
import { type GeneratedSchema, jsonObject, jsonText } from '../support/generate.js';
import type { ApiRequest, JsonClient, Reply } from '../support/json-client.js';
import { lower, RowModel } from '../support/model.js';

export const LEVELS = ['write-read', 'read-only', 'write-only'] as const;
export type Level = (typeof LEVELS)[number];

/** By dimension: conditions by column, as in a custom key. */
export type Filter = ReadonlyMap<string, JsonObject>;

const IDS_PER_REQUEST = 50;
const PAGE_TOKEN = 'page-token';

export interface Database {
  readonly name: string;
  readonly master: string;
}

export async function makeDatabase(client: JsonClient, team: string, name: string): Promise<Database> {
  const plans = { 'pricing-model': 'smart-pricing', 'query-load': 'mega', 'insertion-load': 'mega' };
  const answer = await client.succeed<{ readonly keys: Readonly<Record<string, string>> }>({
    path: '/v1/database',
    key: team,
    body: { database: { name, type: 'production', ...plans } },
  });
  return { name, master: answer.keys['master-key'] };
}

/** Creates a custom key of the database; `more` contains its other fields. Returns the key's text. */
export async function makeKey(
  client: JsonClient,
  team: string,
  database: string,
  more: Readonly<Record<string, Json>>,
): Promise<string> {
  const body = jsonObject({ 'database-name': database, 'custom-database-key': jsonObject(more) });
  const path = '/v1/database/custom_key';
  return (await client.succeed<{ readonly key: string }>({ path, key: team, text: jsonText(body) })).key;
}

/** The filter's conditions of one dimension as a query list. */
function queryOf(conditions: JsonObject): Json[] {
  return [...conditions].flatMap(([column, condition], index): Json[] => {
    const one = jsonObject({ [column]: condition });
    return index === 0 ? [one] : ['and', one];
  });
}

/** Status and body without `took` and without the text of a page-token, which belongs to one key. */
function comparable({ status, body }: Reply): unknown {
  const rest = { ...(body as Record<string, unknown>) };
  delete rest.took;
  if (rest[PAGE_TOKEN] !== undefined) rest[PAGE_TOKEN] = 'one';
  return { status, rest };
}

export class Twins {
  readonly filter: Filter;
  readonly schema: GeneratedSchema;
  readonly whole: Database;
  readonly part: Database;
  /** The rows of the whole database. */
  readonly model = new RowModel();
  #client: JsonClient;
  readonly #keys = new Map<Level, readonly [whole: string, part: string]>();

  private constructor(
    client: JsonClient,
    schema: GeneratedSchema,
    filter: Filter,
    [whole, part]: readonly [Database, Database],
  ) {
    this.#client = client;
    this.schema = schema;
    this.filter = filter;
    this.whole = whole;
    this.part = part;
  }

  /** Creates both databases with `rows`, which are bodies of inserts, and their keys. */
  static async make(
    client: JsonClient,
    team: string,
    name: string,
    schema: GeneratedSchema,
    rows: readonly Json[],
    filter: Filter,
  ): Promise<Twins> {
    const whole = await makeDatabase(client, team, `${name} whole`);
    const part = await makeDatabase(client, team, `${name} part`);
    const twins = new Twins(client, schema, filter, [whole, part]);
    for (const { master } of [whole, part]) {
      await client.succeed({ path: '/v1/column', key: master, text: jsonText(schema.body) });
    }
    twins.model.createColumns(schema.body);
    for (const body of rows) {
      await client.succeed({ path: '/v1/insert', key: whole.master, text: jsonText(body) });
      twins.model.insert(body, Date.now());
    }
    for (const dimension of schema.dimensions) {
      await twins.#copy(dimension, [...twins.visible(dimension)]);
    }
    for (const level of LEVELS) {
      const common = { 'key-name': level, 'key-type': level };
      twins.#keys.set(level, [
        await makeKey(client, team, whole.name, { ...common, filter: new Map(filter) }),
        await makeKey(client, team, part.name, common),
      ]);
    }
    return twins;
  }

  /** Continues with a restarted server. */
  reconnect(client: JsonClient): void {
    this.#client = client;
  }

  /** IDs of the dimension's rows in the whole database that satisfy the filter. */
  visible(dimension: string): ReadonlySet<string> {
    const conditions = this.filter.get(dimension);
    if (conditions === undefined) return new Set(this.model.ids(dimension));
    return new Set(this.model.select(queryOf(conditions), dimension, Date.now()));
  }

  hidden(dimension: string): readonly string[] {
    const visible = this.visible(dimension);
    return this.model.ids(dimension).filter((id) => !visible.has(id));
  }

  /** Sends a request to both databases with keys of that level. Returns the common answer, or the difference. */
  async request(level: Level, request: Omit<ApiRequest, 'key'>): Promise<Reply | string> {
    return this.#compared(request, await this.#sendEach(level, [request, request]));
  }

  /**
   * Requests all pages of an extraction whose body has no page-token from both databases. `between` runs after each
   * page. Returns the number of pages, or the difference.
   */
  async pages(
    level: Level,
    path: string,
    body: JsonObject,
    between: (page: number) => Promise<void>,
  ): Promise<number | string> {
    const requests = [body, body].map((one) => ({ path, text: jsonText(one) }));
    for (let page = 1; ; page++) {
      const replies = await this.#sendEach(level, requests);
      const compared = this.#compared(requests[0], replies);
      if (typeof compared === 'string') return `page ${page}: ${compared}`;
      const tokens = replies.map((reply) => (reply.body as Record<string, Json | undefined>)[PAGE_TOKEN]);
      if (tokens[0] === undefined) return page;
      tokens.forEach((token, index) => {
        requests[index] = { path, text: jsonText(new Map([...body, [PAGE_TOKEN, token ?? null]])) };
      });
      await between(page);
    }
  }

  /**
   * Sends a request to the whole database with its master key, which has no filter. Its cached answer must not be
   * returned to the filtered key.
   */
  async asMaster(request: Omit<ApiRequest, 'key'>): Promise<void> {
    await this.#client.request({ ...request, key: this.whole.master });
  }

  #sendEach(level: Level, requests: readonly Omit<ApiRequest, 'key'>[]): Promise<readonly Reply[]> {
    const keys = this.#keys.get(level) ?? [];
    return Promise.all(keys.map((key, index) => this.#client.request({ ...requests[index], key })));
  }

  #compared(request: Omit<ApiRequest, 'key'>, [whole, part]: readonly Reply[]): Reply | string {
    const [found, expected] = [comparable(whole), comparable(part)];
    if (isDeepStrictEqual(found, expected)) return whole;
    const sent = `${request.method ?? ''} ${request.path} ${request.text ?? ''}`;
    return `behind ${jsonText(new Map(this.filter))}: ${sent}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`;
  }

  /** Applies an insert that both databases accepted to the model, and corrects the part. */
  async inserted(body: Json): Promise<void> {
    const idsOf = new Map<string, string[]>();
    for (const [id, fields] of body as JsonObject) {
      const dimension = dimensionOf(fields);
      idsOf.set(dimension, [...(idsOf.get(dimension) ?? []), lower(id)]);
    }
    const hidden = new Map(
      [...idsOf.keys()].map((dimension) => [dimension, new Set(this.hidden(dimension))]),
    );
    this.model.insert(body, Date.now());
    for (const [dimension, ids] of idsOf) {
      const visible = this.visible(dimension);
      const wasHidden = (id: string): boolean => hidden.get(dimension)?.has(id) === true;
      await this.#erase(
        dimension,
        ids.filter((id) => wasHidden(id) || !visible.has(id)),
      );
      await this.#copy(
        dimension,
        ids.filter((id) => wasHidden(id) && visible.has(id)),
      );
    }
  }

  /**
   * Applies an update or a delete that both databases accepted to the model, and corrects the part. Returns the number
   * of affected rows.
   */
  async mutated(kind: 'update' | 'delete', body: JsonObject): Promise<number> {
    const dimension = dimensionOf(body);
    const conditions = this.filter.get(dimension);
    const query = body.get('query') as Json;
    const narrowed: Json = conditions === undefined ? query : [...queryOf(conditions), 'and', query];
    const before = this.visible(dimension);
    const count = this.model[kind](new Map([...body, ['query', narrowed]]), Date.now());
    const known = new Set(this.model.ids(dimension));
    const after = this.visible(dimension);
    await this.#erase(
      dimension,
      [...before].filter((id) => known.has(id) && !after.has(id)),
    );
    return count;
  }

  /** Removes rows from the part. */
  async #erase(dimension: string, ids: readonly string[]): Promise<void> {
    for (const some of runsOf(ids)) {
      const query = [jsonObject({ 'entity-id': jsonObject({ in: some }) })];
      const text = jsonText(jsonObject({ dimension, query }));
      await this.#client.succeed({ path: '/v1/delete', key: this.part.master, text });
    }
  }

  /** Adds rows of the model to the part. */
  async #copy(dimension: string, ids: readonly string[]): Promise<void> {
    for (const some of runsOf(ids)) {
      const text = jsonText(this.model.copyOf(some, dimension));
      await this.#client.succeed({ path: '/v1/insert', key: this.part.master, text });
    }
  }
}

const dimensionOf = (fields: Json): string =>
  ((fields as JsonObject).get('dimension') as string | undefined) ?? 'default';

function runsOf(ids: readonly string[]): string[][] {
  const count = Math.ceil(ids.length / IDS_PER_REQUEST);
  return Array.from({ length: count }, (_, run) =>
    ids.slice(run * IDS_PER_REQUEST, (run + 1) * IDS_PER_REQUEST),
  );
}
