/**
 * A database in its simplest form: one object per entity, without indexes and without binding. It is the oracle of the
 * whole server, so it shares no code with the server except the JSON reader. It accepts only valid requests and throws
 * a plain Error for anything unknown. The kinds of requests are in model/.
 */
import type { Json, JsonObject } from '../../src/api/index.js';
import { aggregate, countEvents, topValues } from './model/aggregating.js';
import { type Extracted, extractResult, extractScore } from './model/extracting.js';
import { known, newEntity, newTable, type Table } from './model/facts.js';
import { asList, asNumber, asObject, asText, lower } from './model/json.js';
import { matching } from './model/matching.js';
import { fieldOf, write } from './model/writing.js';

export { NearNumber } from './model/answer-value.js';
export type { Extracted } from './model/extracting.js';
export { lower } from './model/json.js';

const DEFAULT = 'default';

export class RowModel {
  readonly #tables = new Map<string, Table>([[DEFAULT, newTable()]]);

  /** Executes a body of POST /v1/column in which every column has an api-name. */
  createColumns(body: Json): void {
    for (const item of Array.isArray(body) ? body : [body]) {
      const column = asObject(item);
      const type = asText(column.get('type'));
      const retention = column.get('retention-time') ?? 'forever';
      this.#tableOf(column.get('dimension'), true).columns.set(asText(column.get('api-name')), {
        type: type.replace(/-event$/, ''),
        isEvent: type.endsWith('-event'),
        isList: column.get('storage') === 'list-of-values',
        bounds: asList(column.get('range') ?? []).map((bound) => BigInt(asNumber(bound).text)),
        retentionDays: retention === 'forever' ? null : Number(asNumber(retention).text),
        active: true,
      });
    }
  }

  /** Executes a body of PUT /v1/column; only a change of `active` affects answers to queries. */
  changeColumn(body: Json): void {
    const change = asObject(body);
    const { columns } = this.#tableOf(change.get('dimension'), false);
    const name = asText(change.get('api-name'));
    const column = columns.get(name);
    if (column === undefined) throw new Error(`the model has no column ${name}`);
    columns.set(name, { ...column, active: change.get('active') !== false });
  }

  /** Executes a body of DELETE /v1/column. */
  deleteColumn(body: Json): void {
    const named = asObject(body);
    const { columns, entities } = this.#tableOf(named.get('dimension'), false);
    const name = asText(named.get('api-name'));
    if (!columns.delete(name)) throw new Error(`the model has no column ${name}`);
    for (const { values, lists, events } of entities.values()) {
      for (const retained of [values, lists, events]) retained.delete(name);
    }
  }

  createDimension(apiName: string): void {
    this.#tableOf(apiName, true);
  }

  /** Executes a body of POST /v1/insert without auto-create. `values` counts every event, item and single value. */
  insert(body: Json, nowMs: number): { readonly entities: number; readonly values: number } {
    let [entities, values] = [0, 0];
    for (const [id, fields] of asObject(body)) {
      const { columns, entities: all } = this.#tableOf(asObject(fields).get('dimension'), false);
      const key = lower(id);
      const entity = all.get(key) ?? newEntity();
      all.set(key, entity);
      entities++;
      for (const [name, value] of asObject(fields)) {
        if (name !== 'dimension') values += write(entity, name, known(columns, name), value, nowMs);
      }
    }
    return { entities, values };
  }

  /** Executes a body of POST /v1/update; returns the number of updated entities. */
  update(body: Json, nowMs: number): number {
    const mutation = asObject(body);
    const table = this.#tableOf(mutation.get('dimension') ?? undefined, false);
    const chosen = matching(table, asList(mutation.get('query')), nowMs);
    for (const [name, value] of asObject(mutation.get('set'))) {
      const column = known(table.columns, name);
      for (const [, entity] of chosen) write(entity, name, column, value, nowMs);
    }
    return chosen.length;
  }

  /** Executes a body of POST /v1/delete; returns the number of deleted entities. */
  delete(body: Json, nowMs: number): number {
    const mutation = asObject(body);
    const table = this.#tableOf(mutation.get('dimension') ?? undefined, false);
    const chosen = matching(table, asList(mutation.get('query')), nowMs);
    for (const [id] of chosen) table.entities.delete(id);
    return chosen.length;
  }

  /** Removes the events that are older than the retention time of their column, to the second. */
  expire(nowMs: number): void {
    for (const { columns, entities } of this.#tables.values()) {
      for (const [name, { retentionDays }] of columns) {
        if (retentionDays === null) continue;
        const before = Math.floor(nowMs / 1000) - retentionDays * 86_400;
        for (const { events } of entities.values()) {
          const retained = (events.get(name) ?? []).filter(({ seconds }) => seconds >= before);
          if (events.has(name)) events.set(name, retained);
        }
      }
    }
  }

  /** Executes a body of POST /v1/query/count/entity; returns the counts by query-name. */
  count(body: Json, nowMs: number): Map<string, number> {
    const counts = new Map<string, number>();
    for (const item of Array.isArray(body) ? body : [body]) {
      const query = asObject(item);
      const table = this.#tableOf(query.get('dimension') ?? undefined, false);
      counts.set(asText(query.get('query-name')), matching(table, asList(query.get('query')), nowMs).length);
    }
    return counts;
  }

  /** Executes a body of POST /v1/query/count/event; returns the `result` of its answer. */
  countEvents(body: Json, nowMs: number): JsonObject {
    const queries = (Array.isArray(body) ? body : [body]).map(asObject);
    return new Map(
      queries.map((query) => [
        asText(query.get('query-name')),
        countEvents(query, this.#tableOf(query.get('dimension') ?? undefined, false), nowMs),
      ]),
    );
  }

  /** Executes a body of POST /v1/query/aggregation; returns the `result` of its answer. */
  aggregate(body: Json, nowMs: number): Json {
    const object = asObject(body);
    const table = this.#tableOf(object.get('dimension') ?? undefined, false);
    const query = object.get('query') as Json;
    const filter = asList(object.get('filter') ?? []);
    const rows = filter.length === 0 ? [...table.entities] : matching(table, filter, nowMs);
    return aggregate(Array.isArray(query) ? query : [query], table, rows, nowMs);
  }

  /** Executes a body of POST /v1/query/top_values; returns the `result` of its answer. */
  topValues(body: Json, nowMs: number): JsonObject {
    return new Map(
      [...asObject(body)].map(([name, value]) => {
        const query = asObject(value);
        return [name, topValues(query, this.#tableOf(query.get('dimension') ?? undefined, false), nowMs)];
      }),
    );
  }

  /** Executes a body of POST /v1/data_extraction/result without a page token. */
  extract(body: Json, nowMs: number): Extracted {
    const object = asObject(body);
    return extractResult(object, this.#tableOf(object.get('dimension') ?? undefined, false), nowMs);
  }

  /** Executes a body of POST /v1/data_extraction/score. */
  score(body: Json, nowMs: number): Extracted {
    const object = asObject(body);
    return extractScore(object, this.#tableOf(object.get('dimension') ?? undefined, false), nowMs);
  }

  /** The stored IDs of the dimension's entities that satisfy a query list. */
  select(query: Json, dimension: string, nowMs: number): readonly string[] {
    return matching(this.#tableOf(dimension, false), asList(query), nowMs).map(([id]) => id);
  }

  /** The stored IDs of the dimension's entities. */
  ids(dimension: string): readonly string[] {
    return [...this.#tableOf(dimension, false).entities.keys()];
  }

  /** A body of POST /v1/insert that recreates the entities with their active columns. */
  copyOf(ids: readonly string[], dimension: string): JsonObject {
    const { columns, entities } = this.#tableOf(dimension, false);
    const body = new Map<string, Json>();
    for (const id of ids) {
      const entity = entities.get(id);
      if (entity === undefined) throw new Error(`the model has no entity ${id}`);
      const fields = new Map<string, Json>([['dimension', dimension]]);
      for (const [name, column] of columns) {
        if (column.active) fields.set(name, fieldOf(entity, name, column));
      }
      body.set(id, fields);
    }
    return body;
  }

  /** Number of entities of the named dimensions, or of all dimensions if none is named. */
  total(dimensions: readonly string[] = []): number {
    const names = dimensions.length === 0 ? [...this.#tables.keys()] : [...new Set(dimensions)];
    return names.reduce((sum, name) => sum + this.#tableOf(name, false).entities.size, 0);
  }

  exists(ids: readonly string[], dimension: string = DEFAULT): readonly boolean[] {
    const { entities } = this.#tableOf(dimension, false);
    return ids.map((id) => entities.has(lower(id)));
  }

  #tableOf(dimension: Json | undefined, make: boolean): Table {
    const name = asText(dimension ?? DEFAULT);
    const found = this.#tables.get(name);
    if (found !== undefined) return found;
    if (!make) throw new Error(`the model has no dimension ${name}`);
    const made = newTable();
    this.#tables.set(name, made);
    return made;
  }
}
