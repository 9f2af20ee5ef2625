/**
 * The client: a method for each endpoint. Writes of data are named by an Idempotency-Key, so that they are tried again until they
 * are known to have happened, once. Integers beyond 2^53 are bigints, both ways.
 */
import type { Table } from 'apache-arrow';
import type * as A from './answers.js';
import { Inserter, type InserterOptions } from './inserter.js';
import { writeExact } from './json.js';
import type * as Q from './queries.js';
import {
  ARROW_TYPE,
  asking,
  JSON_TYPE,
  LINES_TYPE,
  type QuarryOptions,
  type Result,
  Sender,
  SQL_PATH,
  SQL_TYPE,
  sqlAsking,
} from './sender.js';
import type { CallOptions, WriteOptions } from './transport.js';

interface ApiNames {
  readonly 'api-name': string | readonly string[];
}

export class Quarry {
  readonly #send: Sender;
  readonly #options: QuarryOptions;

  constructor(options: QuarryOptions) {
    this.#options = options;
    this.#send = new Sender(options);
  }

  /** A client for the same server with another key, such as a session's. */
  withKey(key: string): Quarry {
    return new Quarry({ ...this.#options, key });
  }

  // The model

  /** The api-names of the dimensions that were made. */
  async createDimensions(dimensions: Q.NewDimension | readonly Q.NewDimension[], options?: CallOptions) {
    return namesIn(await this.#send.change<ApiNames>('POST', '/v1/dimension', dimensions, options));
  }

  async deleteDimension(apiName: string, options?: CallOptions): Promise<void> {
    await this.#send.change('DELETE', '/v1/dimension', { 'api-name': apiName }, options);
  }

  async dimensions(options?: CallOptions): Promise<readonly string[]> {
    type Answer = { readonly dimensions: readonly string[] };
    return (await this.#send.get<Answer>('/v1/dimension', options)).dimensions;
  }

  /** The api-names of the columns that were made. */
  async createColumns(columns: Q.NewColumn | readonly Q.NewColumn[], options?: CallOptions) {
    return namesIn(await this.#send.change<ApiNames>('POST', '/v1/column', columns, options));
  }

  async changeColumn(column: Q.ChangedColumn, options?: CallOptions): Promise<void> {
    await this.#send.change('PUT', '/v1/column', column, options);
  }

  async deleteColumn(apiName: string, dimension?: string, options?: CallOptions): Promise<void> {
    await this.#send.change('DELETE', '/v1/column', { 'api-name': apiName, dimension }, options);
  }

  /** By dimension. */
  async columns(options?: CallOptions): Promise<Readonly<Record<string, A.ColumnGroups>>> {
    const {
      status: _,
      took: __,
      count: ___,
      ...groups
    } = await this.#send.get<Record<string, unknown>>('/v1/column', options);
    return groups as Readonly<Record<string, A.ColumnGroups>>;
  }

  /** All columns of the relation by now. */
  async relate(relation: Q.Relation, options?: CallOptions): Promise<readonly string[]> {
    type Answer = { readonly columns_on_relation: readonly string[] };
    return (await this.#send.change<Answer>('POST', '/v1/column/relation', relation, options))
      .columns_on_relation;
  }

  /** Takes columns out of a relation. */
  async unrelate(relation: Q.Relation, options?: CallOptions): Promise<readonly string[]> {
    type Answer = { readonly columns_deleted: readonly string[] };
    return (await this.#send.change<Answer>('DELETE', '/v1/column/relation', relation, options))
      .columns_deleted;
  }

  async relations(options?: CallOptions): Promise<A.Relations> {
    return (await this.#send.get<{ readonly relations: A.Relations }>('/v1/column/relation', options))
      .relations;
  }

  // Writes

  /** Inserts at most 1,000 entities, all or none; for more, see `inserter`. */
  async insert(
    entities: Readonly<Record<string, Q.Entity>>,
    options?: WriteOptions & { readonly autoCreate?: readonly ('column' | 'dimension')[] },
  ): Promise<A.Inserted> {
    const creates = options?.autoCreate === undefined ? {} : { 'auto-create': options.autoCreate };
    return this.#insert(writeExact({ ...creates, ...entities }), options);
  }

  /** Inserts any number of entities in batches. */
  inserter(options?: InserterOptions & CallOptions): Inserter {
    return new Inserter((body) => this.#insert(body, options), options);
  }

  #insert(body: string, options?: WriteOptions): Promise<A.Inserted> {
    return this.#send.write<A.Inserted>('/v1/insert', body, JSON_TYPE, options);
  }

  /** How many entities were updated. */
  async update(update: Q.Update, options?: WriteOptions): Promise<number> {
    type Answer = Result<{ readonly updated: number }>;
    return (await this.#send.write<Answer>('/v1/update', writeExact(update), JSON_TYPE, options)).result
      .updated;
  }

  /** How many entities were deleted. */
  async delete(query: Q.Delete, options?: WriteOptions): Promise<number> {
    type Answer = Result<{ readonly deleted: number }>;
    return (await this.#send.write<Answer>('/v1/delete', writeExact(query), JSON_TYPE, options)).result
      .deleted;
  }

  // SQL

  /** Any statements. Writes take effect together, once. */
  async sql(text: string, options?: WriteOptions): Promise<A.SqlResult> {
    return this.#send.write<A.SqlResult>(SQL_PATH, text, SQL_TYPE, options);
  }

  /** The rows of one SELECT. */
  async query(select: string, options?: CallOptions): Promise<readonly A.SqlRow[]> {
    return (await this.sql(select, options)).result as readonly A.SqlRow[];
  }

  /** The rows of one SELECT, while they come; leaving the loop ends the request. */
  rows(select: string, options?: CallOptions): AsyncGenerator<A.SqlRow, void, void> {
    return this.#send.lines(sqlAsking(select, LINES_TYPE), options);
  }

  /** The rows of one SELECT as an Arrow table, for which the package `apache-arrow` must be there. */
  async arrow(select: string, options?: CallOptions): Promise<Table> {
    return this.#send.arrow(sqlAsking(select, ARROW_TYPE), options);
  }

  // Queries

  /** How many entities satisfy each query, by its name. */
  async count(queries: Q.CountQuery | readonly Q.CountQuery[], options?: CallOptions) {
    return this.#send.result<Readonly<Record<string, number>>>('/v1/query/count/entity', queries, options);
  }

  /** How many events satisfy each query, by its name; by interval where it asks for one. */
  async countEvents(queries: Q.CountEventQuery | readonly Q.CountEventQuery[], options?: CallOptions) {
    type Answer = Readonly<Record<string, number | readonly A.EventBucket[]>>;
    return this.#send.result<Answer>('/v1/query/count/event', queries, options);
  }

  /** How many entities there are, in some dimensions or in all. */
  async total(dimensions?: readonly string[], options?: CallOptions): Promise<number> {
    type Answer = { readonly total: number };
    return (await this.#send.result<Answer>('/v1/query/count/entity/total', { dimensions }, options)).total;
  }

  async exists(ids: readonly string[], dimension?: string, options?: CallOptions) {
    type Answer = { readonly exists: readonly string[]; readonly 'not-exists': readonly string[] };
    return this.#send.ask<Answer>('/v1/query/exists/entity', { ids, dimension }, options);
  }

  /** Under the outermost column's name what was found. */
  async aggregate(aggregation: Q.Aggregation, options?: CallOptions) {
    return this.#send.result<Readonly<Record<string, A.LevelAnswer>>>(
      '/v1/query/aggregation',
      aggregation,
      options,
    );
  }

  /** By the query's name and its column's. */
  async topValues(queries: Readonly<Record<string, Q.TopValuesQuery>>, options?: CallOptions) {
    type Answer = Readonly<Record<string, Readonly<Record<string, readonly A.ValueCount[]>>>>;
    return this.#send.result<Answer>('/v1/query/top_values', queries, options);
  }

  // Extraction

  /** One page of rows. */
  async extract(extraction: Q.Extraction, options?: CallOptions): Promise<A.Page> {
    return this.#send.ask<A.Page>('/v1/data_extraction/result', extraction, options);
  }

  /** All pages, one after the other. */
  async *pages(extraction: Q.Extraction, options?: CallOptions): AsyncGenerator<A.Page, void, void> {
    let token = extraction['page-token'] ?? undefined;
    do {
      const page = await this.extract(
        { ...extraction, ...(token === undefined ? {} : { 'page-token': token }) },
        options,
      );
      yield page;
      token = page['page-token'];
    } while (token !== undefined);
  }

  /** All rows up to `limit` in one answer, while they come; each has its `entity-id`. */
  extractRows(extraction: Q.Extraction, options?: CallOptions): AsyncGenerator<A.Row, void, void> {
    return this.#send.lines(asking('/v1/data_extraction/result', extraction, LINES_TYPE), options);
  }

  /** The same as an Arrow table. */
  async extractArrow(extraction: Q.Extraction, options?: CallOptions): Promise<Table> {
    return this.#send.arrow(asking('/v1/data_extraction/result', extraction, ARROW_TYPE), options);
  }

  /** Rows of the entities that satisfy most conditions. */
  async score(extraction: Q.Extraction, options?: CallOptions): Promise<A.Page> {
    return this.#send.ask<A.Page>('/v1/data_extraction/score', extraction, options);
  }

  // Saved queries

  async saveQuery(
    query: Q.SavedQueryDefinition & { readonly name: string },
    options?: CallOptions,
  ): Promise<A.SavedQuery> {
    return this.#send.change<A.SavedQuery>('POST', '/v1/query/saved', query, options);
  }

  async savedQueries(options?: CallOptions): Promise<readonly A.SavedQuery[]> {
    type Answer = { readonly 'saved-queries': readonly A.SavedQuery[] };
    return (await this.#send.get<Answer>('/v1/query/saved', options))['saved-queries'];
  }

  /** What the endpoint of its type answers; a count is called `query` there. */
  async askSaved<T = unknown>(name: string, options?: CallOptions): Promise<T> {
    return (await this.#send.get<Result<T>>(savedPath(name), options)).result;
  }

  async changeSavedQuery(name: string, query: Q.SavedQueryDefinition, options?: CallOptions): Promise<void> {
    await this.#send.change('PUT', savedPath(name), query, options);
  }

  async deleteSavedQuery(name: string, options?: CallOptions): Promise<void> {
    await this.#send.change('DELETE', savedPath(name), undefined, options);
  }

  // Databases, keys, users

  /** The database of the key. */
  async database(options?: CallOptions): Promise<A.Database> {
    return this.#send.get<A.Database>('/v1/database', options);
  }

  async databases(options?: CallOptions): Promise<readonly A.Database[]> {
    return this.#send.get<readonly A.Database[]>('/v1/database/retrieve_all', options);
  }

  /** What the database holds, and the memory that it takes. */
  async status(options?: CallOptions) {
    type Answer = { readonly database: string; readonly dimensions: readonly A.DimensionStatus[] };
    return this.#send.get<Answer>('/v1/status', options);
  }

  /** The keys of the new database: they are told this once. */
  async createDatabase(
    database: Q.NewDatabase,
    addresses?: readonly string[],
    options?: CallOptions,
  ): Promise<A.DatabaseKeys> {
    const body = { database, 'addresses-whitelist': addresses };
    return (await this.#send.change<{ readonly keys: A.DatabaseKeys }>('POST', '/v1/database', body, options))
      .keys;
  }

  async changeDatabase(
    database: Q.ChangedDatabase,
    addresses?: readonly string[],
    options?: CallOptions,
  ): Promise<void> {
    await this.#send.change('PUT', '/v1/database', { database, 'addresses-whitelist': addresses }, options);
  }

  async deleteDatabase(name: string, options?: CallOptions): Promise<void> {
    await this.#send.change('DELETE', '/v1/database', { database: { name } }, options);
  }

  /** Names of custom keys by database. */
  async customKeys(options?: CallOptions): Promise<Readonly<Record<string, readonly string[]>>> {
    type Answer = { readonly databases: Readonly<Record<string, readonly string[]>> };
    return (await this.#send.get<Answer>('/v1/database/custom_key', options)).databases;
  }

  /** The key's text: it is told this once. */
  async createCustomKey(database: string, key: Q.NewCustomKey, options?: CallOptions): Promise<string> {
    return (
      await this.#send.change<{ readonly key: string }>(
        'POST',
        '/v1/database/custom_key',
        keyBody(database, key),
        options,
      )
    ).key;
  }

  async changeCustomKey(database: string, key: Q.ChangedCustomKey, options?: CallOptions): Promise<void> {
    await this.#send.change('PUT', '/v1/database/custom_key', keyBody(database, key), options);
  }

  async deleteCustomKey(database: string, name: string, options?: CallOptions): Promise<void> {
    await this.#send.change(
      'DELETE',
      '/v1/database/custom_key',
      keyBody(database, { 'key-name': name }),
      options,
    );
  }

  async createUser(user: Q.NewUser, options?: CallOptions): Promise<void> {
    await this.#send.change('POST', '/v1/users', user, options);
  }

  async changeUser(user: Q.User, options?: CallOptions): Promise<void> {
    await this.#send.change('PUT', '/v1/users', user, options);
  }

  async deleteUser(email: string, options?: CallOptions): Promise<void> {
    await this.#send.change('DELETE', '/v1/users', { email }, options);
  }

  async createPermissionGroup(group: Q.PermissionGroup, options?: CallOptions): Promise<void> {
    await this.#send.change('POST', '/v1/permission_groups', group, options);
  }

  async changePermissionGroup(group: Q.ChangedPermissionGroup, options?: CallOptions): Promise<void> {
    await this.#send.change('PUT', '/v1/permission_groups', group, options);
  }

  async deletePermissionGroup(name: string, options?: CallOptions): Promise<void> {
    await this.#send.change('DELETE', '/v1/permission_groups', { 'group-name': name }, options);
  }

  /** A session, whose key is for `withKey`. */
  async signIn(user: Q.SignIn, options?: CallOptions): Promise<A.Session> {
    return this.#send.change<A.Session>('POST', '/v1/session', user, options);
  }
}

const namesIn = ({ 'api-name': names }: ApiNames): readonly string[] =>
  typeof names === 'string' ? [names] : names;
const savedPath = (name: string): string => `/v1/query/saved/${encodeURIComponent(name)}`;
const keyBody = (database: string, key: object): object => ({
  'database-name': database,
  'custom-database-key': key,
});
