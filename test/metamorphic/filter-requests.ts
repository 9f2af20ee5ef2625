/** Generated requests of every kind, sent to both databases of a pair; the model applies the changes of one of them. */
import type { Json, JsonObject } from '../../src/api/index.js';
import type { Prng } from '../../src/base/index.js';
import {
  type GeneratedSchema,
  generateCountBody,
  generateDelete,
  generateId,
  generateInsert,
  generateUpdate,
  generateValue,
  jsonObject,
  jsonText,
  num,
} from '../support/generate.js';
import {
  generateAggregation,
  generateCountEvents,
  generateExtraction,
  generateScore,
  generateTopValues,
  type QueryWorld,
} from '../support/generate-queries.js';
import type { Reply } from '../support/json-client.js';
import { lower } from '../support/model.js';
import { LEVELS, type Level, type Twins } from './twins.js';

export const ID_COUNT = 90;
/** The server's clock runs, so no request may depend on it. */
export const OPTIONS = { depthMax: 3, idCount: ID_COUNT, withNow: false, undated: 0 };

interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: Json;
  /** Text that is sent instead of a JSON body. */
  readonly text?: string;
}

const oneId = (id: string): Json => jsonObject({ 'entity-id': jsonObject({ equals: id }) });

/** IDs that the key sees, that it does not see, and that do not exist, in any letter case. */
function someIds(prng: Prng, twins: Twins, dimension: string, count: number): string[] {
  const all = twins.model.ids(dimension);
  const hidden = twins.hidden(dimension);
  return Array.from({ length: count }, () => {
    if (prng.chance(0.2) || all.length === 0) return generateId(prng, ID_COUNT * 2);
    const id = prng.pick(hidden.length > 0 && prng.chance(0.6) ? hidden : all);
    return prng.chance(0.3) ? id.toUpperCase() : id;
  });
}

function dimensionOf(prng: Prng, schema: GeneratedSchema): string {
  return prng.chance(0.75) ? 'default' : prng.pick(schema.dimensions);
}

/** Requests that are refused, some of them after a valid part that names hidden rows. */
function brokenRequest(prng: Prng, twins: Twins): Request {
  const { schema } = twins;
  const [id, other] = someIds(prng, twins, 'default', 2);
  const query: Json = [oneId(id)];
  const value = jsonObject({ integer: num(1) });
  const count = (fields: Readonly<Record<string, Json>>): Request => ({
    path: '/v1/query/count/entity',
    body: jsonObject({ 'query-name': 'q', query, ...fields }),
  });
  const insert = (fields: Json, more: Readonly<Record<string, Json>> = {}): Request => ({
    path: '/v1/insert',
    body: jsonObject({ [id]: fields, ...more }),
  });
  const update = (set: Json, more: Readonly<Record<string, Json>> = {}): Request => ({
    path: '/v1/update',
    body: jsonObject({ query, set, ...more }),
  });
  return prng.pick<Request>([
    count({ query: [oneId(id), oneId(other)] }),
    count({ query: [] }),
    count({ query: [jsonObject({ absent: jsonObject({ equals: 'x' }) })] }),
    count({ query: [oneId(id), 'and', jsonObject({ integer: jsonObject({ contains: 'x' }) })] }),
    count({ dimension: 'absent' }),
    count({ more: true }),
    { path: '/v1/query/count/entity', text: `{"query-name":"q","query":[` },
    { path: '/v1/query/count/entity/total', body: jsonObject({ dimensions: ['default', 'absent'] }) },
    { path: '/v1/query/count/event', body: jsonObject({ 'query-name': 'q', query }) },
    {
      path: '/v1/query/aggregation',
      body: jsonObject({ filter: query, query: [jsonObject({ absent: num(1) })] }),
    },
    { path: '/v1/query/top_values', body: jsonObject({ q: jsonObject({ 'entity-id': num(0) }) }) },
    { path: '/v1/data_extraction/result', body: jsonObject({ query, columns: ['absent'] }) },
    { path: '/v1/data_extraction/score', body: jsonObject({ query, columns: ['integer-event'] }) },
    { method: 'GET', path: '/v1/query/saved/absent' },
    { path: '/v1/query/exists/entity', body: jsonObject({ ids: [id, ''] }) },
    { path: '/v1/query/exists/entity', body: jsonObject({ ids: [id, other], dimension: 'absent' }) },
    insert(jsonObject({ integer: 'text' })),
    insert(jsonObject({ 'entity-id': id })),
    insert(jsonObject({})),
    insert(value, { 'auto-create': ['column'] }),
    insert(value, { 'auto-create': ['dimension', 'column'] }),
    insert(value, { [lower(id) === id ? id.toUpperCase() : lower(id)]: value }),
    insert(value, { [`${other}-more`]: jsonObject({ absent: num(1) }) }),
    insert(jsonObject({ 'integer-event': jsonObject({ value: num(1), date: '1980-01-01' }) })),
    { path: '/v1/insert', text: `{${JSON.stringify(id)}:{"integer":1}` },
    update(jsonObject({})),
    update(jsonObject({ integer: '' })),
    update(jsonObject({ absent: num(1) })),
    update(jsonObject({ 'entity-id': id })),
    update(value, { dimension: 'absent' }),
    update(jsonObject({ 'integer-event': jsonObject({ value: num(1), date: '2999-01-01' }) })),
    { path: '/v1/delete', body: jsonObject({ dimension: prng.pick(schema.dimensions) }) },
    { path: '/v1/delete', body: jsonObject({ query: [oneId(id), 'or'] }) },
    { path: '/v1/delete', body: jsonObject({ query, set: value }) },
    { method: 'GET', path: '/v1/database' },
    { method: 'POST', path: '/v1/column', body: jsonObject({ name: 'more', type: 'string' }) },
  ]);
}

/** Entities that mostly exist, hidden or not, each with one or more columns. */
function insertOfKnown(prng: Prng, twins: Twins): Json {
  const { schema } = twins;
  const dimension = dimensionOf(prng, schema);
  const body = new Map<string, Json>();
  const seen = new Set<string>();
  for (const id of someIds(prng, twins, dimension, prng.between(1, 6))) {
    if (seen.has(lower(id))) continue;
    seen.add(lower(id));
    const made = generateInsert(prng, schema, {
      entityCount: 40,
      idCount: ID_COUNT,
      undated: 0,
    }) as JsonObject;
    const fields = [...made.values()].find(
      (one) => ((one as JsonObject).get('dimension') ?? 'default') === dimension,
    );
    if (fields !== undefined) body.set(id, fields);
  }
  return body.size > 0
    ? body
    : generateInsert(prng, schema, { entityCount: 3, idCount: ID_COUNT, undated: 0 });
}

/** An update or a delete of rows by their IDs. */
function byId(prng: Prng, twins: Twins, kind: 'update' | 'delete'): JsonObject {
  const dimension = dimensionOf(prng, twins.schema);
  const list = jsonObject({ in: someIds(prng, twins, dimension, prng.between(1, 6)) });
  const query: Json = prng.chance(0.2)
    ? ['not', jsonObject({ 'entity-id': jsonObject({ contains: String(prng.between(1, 9)) }) })]
    : [jsonObject({ 'entity-id': list })];
  if (kind === 'delete') return jsonObject({ dimension, query });
  const column = prng.pick(
    twins.schema.columns.filter((one) => one.dimension === dimension && one.storage !== null),
  );
  const value = generateValue(prng, column);
  const set = jsonObject({ [column.apiName]: column.storage === 'list-of-values' ? [value] : value });
  return jsonObject({ dimension, query, set });
}

const HOUR = 3_600;

/** Read requests by kind: the endpoint, and a generator of bodies. */
const REQUESTS: Readonly<
  Record<string, readonly [path: string, generate: (prng: Prng, world: QueryWorld) => Json]>
> = {
  count: ['/v1/query/count/entity', (prng, { schema }) => generateCountBody(prng, schema, OPTIONS)],
  events: ['/v1/query/count/event', (prng, world) => generateCountEvents(prng, world, 3)],
  aggregation: ['/v1/query/aggregation', generateAggregation],
  top: ['/v1/query/top_values', (prng, world) => generateTopValues(prng, world, prng.between(1, 3))],
  rows: ['/v1/data_extraction/result', generateExtraction],
  score: ['/v1/data_extraction/score', generateScore],
};

/** The members of the equivalent saved query, or null if the body is not a single query. */
function savedMembers(kind: string, body: Json): Readonly<Record<string, Json>> | null {
  if (!(body instanceof Map)) return null;
  const [dimension, query] = [body.get('dimension') ?? null, body.get('query') ?? null];
  switch (kind) {
    case 'count':
      return { type: 'count/entity', dimension, query };
    case 'events':
      return { type: 'count/event', dimension, query };
    case 'aggregation':
      return { type: kind, dimension, query: jsonObject({ filter: body.get('filter') ?? [], query }) };
    case 'top':
      return { type: 'top_values', query: body };
    default:
      return null;
  }
}

/** Sends one request to both databases and applies its changes to the model. Returns the difference, or null. */
export class Requests {
  readonly #prng: Prng;
  readonly #twins: Twins;
  /** Number of answers that were not refusals, by kind of request. */
  readonly taken = new Map<string, number>();
  readonly #world: QueryWorld;
  #idempotencyKeyCount = 0;
  #savedCount = 0;

  constructor(prng: Prng, twins: Twins) {
    this.#prng = prng;
    this.#twins = twins;
    const startSeconds = Math.floor(Date.now() / 1000 / HOUR) * HOUR;
    this.#world = { schema: twins.schema, idCount: ID_COUNT, startSeconds };
  }

  async next(): Promise<string | null> {
    const prng = this.#prng;
    const { schema } = this.#twins;
    const kind = prng.pick([
      ...['count', 'count', 'events', 'events', 'aggregation', 'aggregation', 'aggregation'],
      ...['top', 'top', 'rows', 'rows', 'rows', 'score', 'score', 'saved', 'saved', 'saved'],
      ...['total', 'exists', 'insert', 'insert', 'insert', 'update', 'update', 'update', 'delete', 'list'],
      'broken',
    ]);
    if (REQUESTS[kind] !== undefined) return this.#query(kind);
    switch (kind) {
      case 'saved':
        return this.#saved();
      case 'total':
        return this.#total();
      case 'exists':
        return this.#exists();
      case 'insert': {
        const options = { entityCount: prng.pick([1, 3, 12]), idCount: ID_COUNT, undated: 0 };
        const known = prng.chance(0.5);
        const body = known ? insertOfKnown(prng, this.#twins) : generateInsert(prng, schema, options);
        return this.#write(kind, body, () => this.#twins.inserted(body).then(() => null));
      }
      case 'update':
      case 'delete': {
        const generate = kind === 'update' ? generateUpdate : generateDelete;
        const known = prng.chance(0.4);
        const body = (known ? byId(prng, this.#twins, kind) : generate(prng, schema, OPTIONS)) as JsonObject;
        return this.#write(kind, body, async ({ body: answer }) => {
          const { result } = answer as { result: { updated?: number; deleted?: number } };
          const count = await this.#twins.mutated(kind, body);
          const found = result.updated ?? result.deleted;
          return found === count ? null : `${kind} ${jsonText(body)}: ${found} instead of ${count}`;
        });
      }
      case 'list': {
        const paths = ['/v1/column', '/v1/dimension', '/v1/column/relation'];
        return this.#send(kind, { method: 'GET', path: prng.pick(paths) });
      }
      default:
        return this.#send(kind, brokenRequest(prng, this.#twins));
    }
  }

  /** Compares everything: totals, existence of each entity, all values of all rows, and every ID. */
  async all(): Promise<string | null> {
    for (const dimension of this.#twins.schema.dimensions) {
      const body = jsonObject({ dimensions: [dimension] });
      const total = await this.#send('total', { path: '/v1/query/count/entity/total', body });
      if (total !== null) return total;
      const query: Json = [jsonObject({ 'entity-id': jsonObject({ 'not-equals': 'nobody' }) })];
      const extraction = jsonObject({ dimension, query, columns: 'all', limit: num(1_000) });
      const rows = await this.#send('rows', { path: '/v1/data_extraction/result', body: extraction });
      if (rows !== null) return rows;
      const top = jsonObject({ q: jsonObject({ dimension, 'entity-id': num(1_000) }) });
      const values = await this.#send('top', { path: '/v1/query/top_values', body: top });
      if (values !== null) return values;
      const ids = this.#twins.model.ids(dimension);
      for (let from = 0; from < ids.length; from += 100) {
        const idsBody = jsonObject({ dimension, ids: ids.slice(from, from + 100) });
        const exists = await this.#send('exists', { path: '/v1/query/exists/entity', body: idsBody });
        if (exists !== null) return exists;
      }
    }
    return null;
  }

  /** At random the same request is first sent without the filter, so that its answer is in the result cache. */
  async #query(kind: string): Promise<string | null> {
    const [path, generate] = REQUESTS[kind];
    const body = generate(this.#prng, this.#world);
    if (this.#prng.chance(0.3)) await this.#twins.asMaster({ path, text: jsonText(body) });
    return this.#send(kind, { path, body });
  }

  /** Saves, changes, runs or deletes a query under a name that may exist already. */
  async #saved(): Promise<string | null> {
    const prng = this.#prng;
    const path = `/v1/query/saved/saved-${prng.between(1, Math.max(1, this.#savedCount))}`;
    const what =
      this.#savedCount === 0
        ? 'save'
        : prng.pick(['run', 'run', 'run', 'run', 'save', 'save', 'change', 'delete', 'list']);
    if (what === 'list') return this.#send('saved', { method: 'GET', path: '/v1/query/saved' });
    if (what === 'delete') return this.#send('saved', { method: 'DELETE', path });
    if (what === 'run') {
      if (prng.chance(0.5)) await this.#twins.asMaster({ method: 'GET', path });
      return this.#send('run', { method: 'GET', path });
    }
    const kind = prng.pick(['count', 'events', 'aggregation', 'top']);
    const members = savedMembers(kind, REQUESTS[kind][1](prng, this.#world));
    if (members === null) return null;
    const period: Readonly<Record<string, Json>> = prng.chance(0.7)
      ? { 'cache-period': num(prng.between(5, 600)) }
      : {};
    if (what === 'change')
      return this.#send('saved', { method: 'PUT', path, body: jsonObject({ ...members, ...period }) });
    const fresh = `saved-${++this.#savedCount}`;
    const saved = await this.#send('saved', {
      path: '/v1/query/saved',
      body: jsonObject({ name: fresh, ...members, ...period }),
    });
    return saved ?? this.#send('run', { method: 'GET', path: `/v1/query/saved/${fresh}` });
  }

  #total(): Promise<string | null> {
    const path = '/v1/query/count/entity/total';
    const { dimensions } = this.#twins.schema;
    const named = dimensions.filter(() => this.#prng.chance(0.5));
    if (this.#prng.chance(0.4)) return this.#send('total', { method: 'GET', path });
    return this.#send('total', { path, body: jsonObject({ dimensions: named }) });
  }

  #exists(): Promise<string | null> {
    const dimension = dimensionOf(this.#prng, this.#twins.schema);
    const ids = someIds(this.#prng, this.#twins, dimension, this.#prng.between(1, 30));
    return this.#send('exists', { path: '/v1/query/exists/entity', body: jsonObject({ ids, dimension }) });
  }

  /** Mostly the level of the key with all permissions. */
  #level(): Level {
    return this.#prng.chance(0.8) ? 'write-read' : this.#prng.pick(LEVELS);
  }

  async #send(kind: string, request: Request, idempotencyKey: string | null = null): Promise<string | null> {
    const reply = await this.#sendTo(kind, this.#level(), request, idempotencyKey);
    return typeof reply === 'string' ? reply : null;
  }

  async #sendTo(
    kind: string,
    level: Level,
    { method, path, body, text }: Request,
    idempotencyKey: string | null,
  ) {
    const sent = text ?? (body === undefined ? null : jsonText(body));
    const headers = {
      'content-type': 'application/json',
      ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
    };
    const reply = await this.#twins.request(level, { ...(method && { method }), path, text: sent, headers });
    if (typeof reply !== 'string' && reply.status === 200)
      this.taken.set(kind, (this.taken.get(kind) ?? 0) + 1);
    return reply;
  }

  /** Sends some writes twice under one Idempotency-Key; the second changes nothing. */
  async #write(
    kind: string,
    body: Json,
    taken: (reply: Reply) => Promise<string | null>,
  ): Promise<string | null> {
    const idempotencyKey = this.#prng.chance(0.2) ? `once ${++this.#idempotencyKeyCount}` : null;
    const [level, request] = [this.#level(), { path: `/v1/${kind}`, body }];
    const reply = await this.#sendTo(kind, level, request, idempotencyKey);
    if (typeof reply === 'string') return reply;
    if (idempotencyKey !== null) {
      const again = await this.#sendTo(kind, level, request, idempotencyKey);
      if (typeof again === 'string') return `again: ${again}`;
    }
    return reply.status === 200 ? taken(reply) : null;
  }
}
