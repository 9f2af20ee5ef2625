/**
 * The client: a method for each endpoint. Writes of data have an Idempotency-Key, so that they can be retried and take effect
 * once. Integers beyond 2^53 are bigints in requests and answers.
 */
import type { Table } from 'apache-arrow';
import type * as A from './answers.js';
import { Inserter, type InserterOptions } from './inserter.js';
import { follow, type Live, type LiveOptions } from './live.js';
import type * as Q from './queries.js';
import {
  ARROW_TYPE,
  JSON_TYPE,
  jsonRequest,
  LINES_TYPE,
  type QuarryOptions,
  type Result,
  Sender,
  SQL_PATH,
  SQL_TYPE,
  sqlRequest,
  type WriteOptions,
} from './sender.js';
import { type CallOptions, writeExact } from './transport/index.js';

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

  /** Creates dimensions. Returns their api-names. */
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

  /** Creates columns. Returns their api-names. */
  async createColumns(columns: Q.NewColumn | readonly Q.NewColumn[], options?: CallOptions) {
    return namesIn(await this.#send.change<ApiNames>('POST', '/v1/column', columns, options));
  }

  async changeColumn(column: Q.ChangedColumn, options?: CallOptions): Promise<void> {
    await this.#send.change('PUT', '/v1/column', column, options);
  }

  async deleteColumn(apiName: string, dimension?: string, options?: CallOptions): Promise<void> {
    await this.#send.change('DELETE', '/v1/column', { 'api-name': apiName, dimension }, options);
  }

  /** The columns by dimension. */
  async columns(options?: CallOptions): Promise<Readonly<Record<string, A.ColumnGroups>>> {
    const {
      status: _,
      took: __,
      count: ___,
      ...groups
    } = await this.#send.get<Record<string, unknown>>('/v1/column', options);
    return groups as Readonly<Record<string, A.ColumnGroups>>;
  }

  /** Creates a relation or adds columns to it. Returns all its columns. */
  async relate(relation: Q.Relation, options?: CallOptions): Promise<readonly string[]> {
    type Answer = { readonly columns_on_relation: readonly string[] };
    return (await this.#send.change<Answer>('POST', '/v1/column/relation', relation, options))
      .columns_on_relation;
  }

  /** Removes columns from a relation. Returns the removed columns. */
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

  /** Inserts at most 1,000 entities, all or none. For more entities, use `inserter`. */
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

  /** Updates entities. Returns their number. */
  async update(update: Q.Update, options?: WriteOptions): Promise<number> {
    type Answer = Result<{ readonly updated: number }>;
    return (await this.#send.write<Answer>('/v1/update', writeExact(update), JSON_TYPE, options)).result
      .updated;
  }

  /** Deletes entities. Returns their number. */
  async delete(query: Q.Delete, options?: WriteOptions): Promise<number> {
    type Answer = Result<{ readonly deleted: number }>;
    return (await this.#send.write<Answer>('/v1/delete', writeExact(query), JSON_TYPE, options)).result
      .deleted;
  }

  // SQL

  /** Runs any statements. Writes take effect together, once. */
  async sql(text: string, options?: WriteOptions): Promise<A.SqlResult> {
    return this.#send.write<A.SqlResult>(SQL_PATH, text, SQL_TYPE, options);
  }

  /** The rows of one SELECT. */
  async query(select: string, options?: CallOptions): Promise<readonly A.SqlRow[]> {
    return (await this.sql(select, options)).result as readonly A.SqlRow[];
  }

  /** The rows of one SELECT, as they arrive; leaving the loop ends the request. */
  rows(select: string, options?: CallOptions): AsyncGenerator<A.SqlRow, void, void> {
    return this.#send.lines(sqlRequest(select, LINES_TYPE), options);
  }

  /** The rows of one SELECT as an Arrow table. Requires the package `apache-arrow`. */
  async arrow(select: string, options?: CallOptions): Promise<Table> {
    return this.#send.arrow(sqlRequest(select, ARROW_TYPE), options);
  }

  // Queries

  /** The number of entities that satisfy each query, by query name. */
  async count(queries: Q.CountQuery | readonly Q.CountQuery[], options?: CallOptions) {
    return this.#send.result<Readonly<Record<string, number>>>('/v1/query/count/entity', queries, options);
  }

  /** The number of events that satisfy each query, by query name; a query with an interval gives a number per bucket. */
  async countEvents(queries: Q.CountEventQuery | readonly Q.CountEventQuery[], options?: CallOptions) {
    type Answer = Readonly<Record<string, number | readonly A.EventBucket[]>>;
    return this.#send.result<Answer>('/v1/query/count/event', queries, options);
  }

  /** The number of entities in the given dimensions, by default in all. */
  async total(dimensions?: readonly string[], options?: CallOptions): Promise<number> {
    type Answer = { readonly total: number };
    return (await this.#send.result<Answer>('/v1/query/count/entity/total', { dimensions }, options)).total;
  }

  async exists(ids: readonly string[], dimension?: string, options?: CallOptions) {
    type Answer = { readonly exists: readonly string[]; readonly 'not-exists': readonly string[] };
    return this.#send.request<Answer>('/v1/query/exists/entity', { ids, dimension }, options);
  }

  /** The result of an aggregation, under the name of the outermost column. */
  async aggregate(aggregation: Q.Aggregation, options?: CallOptions) {
    return this.#send.result<Readonly<Record<string, A.LevelAnswer>>>(
      '/v1/query/aggregation',
      aggregation,
      options,
    );
  }

  /** The most frequent values by query name and column. */
  async topValues(queries: Readonly<Record<string, Q.TopValuesQuery>>, options?: CallOptions) {
    type Answer = Readonly<Record<string, Readonly<Record<string, readonly A.ValueCount[]>>>>;
    return this.#send.result<Answer>('/v1/query/top_values', queries, options);
  }

  // Behaviour

  /** How far entities get in each funnel, by query name. */
  async funnel(queries: Q.Funnel | readonly Q.Funnel[], options?: CallOptions) {
    return this.#behaviour<A.FunnelAnswer>('funnel', queries, options);
  }

  /** Which entities come back, by query name. */
  async retention(queries: Q.Retention | readonly Q.Retention[], options?: CallOptions) {
    return this.#behaviour<A.RetentionAnswer>('retention', queries, options);
  }

  /** New, returning, resurrecting and dormant entities by period, by query name. */
  async lifecycle(queries: Q.Activity | readonly Q.Activity[], options?: CallOptions) {
    return this.#behaviour<A.LifecycleAnswer>('lifecycle', queries, options);
  }

  /** How many entities are active in how many periods, by query name. */
  async stickiness(queries: Q.Activity | readonly Q.Activity[], options?: CallOptions) {
    return this.#behaviour<A.StickinessAnswer>('stickiness', queries, options);
  }

  /** Active entities by period, by query name. */
  async actives(queries: Q.Actives | readonly Q.Actives[], options?: CallOptions) {
    return this.#behaviour<A.ActivesAnswer>('actives', queries, options);
  }

  /** Entities whose events match a pattern, by query name. */
  async sequence(queries: Q.Sequence | readonly Q.Sequence[], options?: CallOptions) {
    return this.#behaviour<A.SequenceAnswer>('sequence', queries, options);
  }

  /** Runs of events without a long gap, by query name. */
  async sessions(queries: Q.Sessions | readonly Q.Sessions[], options?: CallOptions) {
    return this.#behaviour<A.SessionsAnswer>('sessions', queries, options);
  }

  /** What follows or precedes an event, by query name. */
  async flow(queries: Q.Flow | readonly Q.Flow[], options?: CallOptions) {
    return this.#behaviour<A.FlowAnswer>('flow', queries, options);
  }

  /** The entities that segments have in common, by query name. */
  async overlap(queries: Q.Overlap | readonly Q.Overlap[], options?: CallOptions) {
    return this.#behaviour<A.OverlapAnswer>('overlap', queries, options);
  }

  /** The values by which two segments differ most, by query name. */
  async compare(queries: Q.Compare | readonly Q.Compare[], options?: CallOptions) {
    return this.#behaviour<A.CompareAnswer>('compare', queries, options);
  }

  /** The events of one entity, newest first, by query name. */
  async timeline(queries: Q.Timeline | readonly Q.Timeline[], options?: CallOptions) {
    return this.#behaviour<A.TimelineAnswer>('timeline', queries, options);
  }

  #behaviour<Answer>(kind: string, queries: unknown, options?: CallOptions) {
    return this.#send.result<Readonly<Record<string, Answer>>>(`/v1/query/${kind}`, queries, options);
  }

  // Extraction

  /** One page of rows. */
  async extract(extraction: Q.Extraction, options?: CallOptions): Promise<A.Page> {
    return this.#send.request<A.Page>('/v1/data_extraction/result', extraction, options);
  }

  /** All pages in order. */
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

  /** All rows up to `limit` in one answer, as they arrive; each has its `entity-id`. */
  extractRows(extraction: Q.Extraction, options?: CallOptions): AsyncGenerator<A.Row, void, void> {
    return this.#send.lines(jsonRequest('/v1/data_extraction/result', extraction, LINES_TYPE), options);
  }

  /** All rows up to `limit` as an Arrow table. Requires the package `apache-arrow`. */
  async extractArrow(extraction: Q.Extraction, options?: CallOptions): Promise<Table> {
    return this.#send.arrow(jsonRequest('/v1/data_extraction/result', extraction, ARROW_TYPE), options);
  }

  /** Rows of the entities that satisfy the most conditions. */
  async score(extraction: Q.Extraction, options?: CallOptions): Promise<A.Page> {
    return this.#send.request<A.Page>('/v1/data_extraction/score', extraction, options);
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

  /** Runs a saved query. Returns the answer of the endpoint of its type, in which a count has the name `query`. */
  async askSaved<T = unknown>(name: string, options?: CallOptions): Promise<T> {
    return (await this.#send.get<Result<T>>(savedPath(name), options)).result;
  }

  /** The answers of a saved query: the newest at once, and again when it changes. Leaving the loop ends the request. */
  followSaved<T = unknown>(name: string, options?: LiveOptions): AsyncGenerator<Live<Result<T>>, void, void> {
    return follow<Result<T>>(this.#send, `${savedPath(name)}/live`, options);
  }

  async changeSavedQuery(name: string, query: Q.SavedQueryDefinition, options?: CallOptions): Promise<void> {
    await this.#send.change('PUT', savedPath(name), query, options);
  }

  async deleteSavedQuery(name: string, options?: CallOptions): Promise<void> {
    await this.#send.change('DELETE', savedPath(name), undefined, options);
  }

  // Segments

  createSegment(segment: Q.NewSegment, options?: CallOptions): Promise<A.Segment> {
    return this.#send.change<A.Segment>('POST', '/v1/segment', segment, options);
  }

  async segments(options?: CallOptions): Promise<readonly A.Segment[]> {
    return (await this.#send.get<{ readonly segments: readonly A.Segment[] }>('/v1/segment', options))
      .segments;
  }

  segment(name: string, options?: CallOptions): Promise<A.DescribedSegment> {
    return this.#send.get<A.DescribedSegment>(segmentPath(name), options);
  }

  /** Replaces the query or all IDs of a segment. */
  async changeSegment(name: string, segment: Q.ChangedSegment, options?: CallOptions): Promise<void> {
    await this.#send.change('PUT', segmentPath(name), segment, options);
  }

  async deleteSegment(name: string, options?: CallOptions): Promise<void> {
    await this.#send.change('DELETE', segmentPath(name), undefined, options);
  }

  /** Adds IDs to a static segment. */
  async addSegmentIds(name: string, ids: readonly string[], options?: CallOptions): Promise<void> {
    await this.#send.change('POST', `${segmentPath(name)}/ids`, { ids }, options);
  }

  /** Removes IDs from a static segment. Returns the number of those that it had. */
  async removeSegmentIds(name: string, ids: readonly string[], options?: CallOptions): Promise<number> {
    type Answer = { readonly removed: number };
    return (await this.#send.change<Answer>('DELETE', `${segmentPath(name)}/ids`, { ids }, options)).removed;
  }

  // Databases, keys, users

  /** The database of the key. */
  async database(options?: CallOptions): Promise<A.Database> {
    return this.#send.get<A.Database>('/v1/database', options);
  }

  async databases(options?: CallOptions): Promise<readonly A.Database[]> {
    return this.#send.get<readonly A.Database[]>('/v1/database/retrieve_all', options);
  }

  /** The sizes of the database, and the memory that it uses. */
  async status(options?: CallOptions) {
    type Answer = { readonly database: string; readonly dimensions: readonly A.DimensionStatus[] };
    return this.#send.get<Answer>('/v1/status', options);
  }

  /** The queries that run in the database, the oldest first. */
  async runningQueries(options?: CallOptions) {
    return (await this.#send.get<A.RunningQueries>('/v1/status/queries', options)).queries;
  }

  /** Stops a query by its `id`. Returns false if it had ended. */
  async stopQuery(id: string, options?: CallOptions): Promise<boolean> {
    type Answer = { readonly stopped: boolean };
    const path = `/v1/status/queries/${encodeURIComponent(id)}`;
    return (await this.#send.change<Answer>('DELETE', path, undefined, options)).stopped;
  }

  /** The newest slow queries of the database. */
  async slowQueries(options?: CallOptions) {
    return (await this.#send.get<A.SlowQueries>('/v1/status/slow_queries', options)).queries;
  }

  /** What was inserted into the database, at once and when it changes. Leaving the loop ends the request. */
  followInserts(options?: LiveOptions): AsyncGenerator<Live<A.Inserts>, void, void> {
    return follow<A.Inserts>(this.#send, '/v1/status/live', options);
  }

  /** Creates a database. Returns its keys, which no other answer contains. */
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

  /** All custom keys with their restrictions and last use. */
  async customKeyList(options?: CallOptions): Promise<readonly A.ListedCustomKey[]> {
    type Answer = { readonly keys: readonly A.ListedCustomKey[] };
    return (await this.#send.get<Answer>('/v1/database/custom_key', options)).keys;
  }

  /** Creates a custom key. Returns its text, which no other answer contains. */
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

  /** All users, ordered by email. */
  async users(options?: CallOptions): Promise<readonly A.ListedUser[]> {
    type Answer = { readonly users: readonly A.ListedUser[] };
    return (await this.#send.get<Answer>('/v1/users', options)).users;
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

  /** All permission groups, ordered by name. */
  async permissionGroups(options?: CallOptions): Promise<readonly A.ListedPermissionGroup[]> {
    type Answer = { readonly 'permission-groups': readonly A.ListedPermissionGroup[] };
    return (await this.#send.get<Answer>('/v1/permission_groups', options))['permission-groups'];
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

  /** Opens a session. Pass its key to `withKey`. */
  async signIn(user: Q.SignIn, options?: CallOptions): Promise<A.Session> {
    return this.#send.change<A.Session>('POST', '/v1/session', user, options);
  }
}

const namesIn = ({ 'api-name': names }: ApiNames): readonly string[] =>
  typeof names === 'string' ? [names] : names;
const savedPath = (name: string): string => `/v1/query/saved/${encodeURIComponent(name)}`;
const segmentPath = (name: string): string => `/v1/segment/${encodeURIComponent(name)}`;
const keyBody = (database: string, key: object): object => ({
  'database-name': database,
  'custom-database-key': key,
});
