/** Answers statements: in the session, on the engine or in the catalog. */
import type { EngineApi } from '../../engine/index.js';
import * as sql from '../../sql/index.js';
import type { VisibleSessions } from '../activity/activity.js';
import { answerBackendCall } from '../activity/backend-calls.js';
import type { CatalogRunner } from '../catalog/answer.js';
import { formatsFor } from '../protocol/binary.js';
import { ProtocolError, ReadsRows, ResultChanged, withTextLater } from '../protocol/errors.js';
import { BINARY, rowDescription } from '../protocol/messages.js';
import { TYPE } from '../protocol/types.js';
import type { Answer } from './answer.js';
import { answerCopyTo } from './copy/copy-out.js';
import { readCopy } from './copy/copy-statement.js';
import { answerClose, answerDeclare, answerFetch } from './cursors/cursor-answers.js';
import { fieldsWithout, mayBeOfCatalog, newPortal, type Portal, type PreparedStatement } from './portal.js';
import { CatalogAnswers, type StatementDescription } from './queries/catalog-answers.js';
import { answerImmediately } from './queries/driver-queries.js';
import {
  fieldsAsDescribed,
  misfit,
  parameterBytes,
  parametersOf,
  parameterTypes,
} from './queries/parameters.js';
import { routeOf } from './queries/routing.js';
import {
  answerSelect,
  bindSelect,
  type DatabaseContext,
  type PostgresRequest,
  requestOf,
  rowFields,
} from './queries/select.js';
import { executedPortal, readExecute } from './queries/sql-prepared.js';
import { answerSession, NOTIFICATIONS, type SessionState } from './session-statement.js';
import { Waiting } from './waiting.js';
import { answerModel } from './writes/block-changes.js';
import { answerSessionTables, answerSessionWrite, type SessionScope } from './writes/table-answers.js';
import { answerCopyFrom, answerWrite, readOnly, returnedFields } from './writes/write-answers.js';

/** The client of a session, with its key and address. */
export interface PostgresClient {
  /** The current state of the database. Throws if the client is not authorized. */
  open(): DatabaseContext;
  /** `stop`: called when an operator stops the statement. Throws if the client is not authorized. */
  execute(scope: 'rows' | 'columns', text: string, stop: () => void): PostgresRequest;
}

export interface StatementDependencies {
  readonly client: PostgresClient;
  readonly engine: Pick<EngineApi, 'select' | 'script' | 'change' | 'holdMemory' | 'records'>;
  readonly catalog: CatalogRunner;
  readonly sessions: VisibleSessions;
}

const ROWS_ONLY =
  'this port writes with INSERT, UPDATE, DELETE, COPY, and CREATE, DROP and ALTER of tables and views; for other changes of the model use /v1/dimension and /v1/column';
const UNSEEN =
  'the writes of this transaction block take effect at COMMIT, so a SELECT would not see them: COMMIT first';
const MIXED =
  'tables of the catalog cannot be combined with tables of rows: query them in separate statements';
const ENDS: readonly string[] = ['COMMIT', 'END', 'ROLLBACK', 'ABORT'];

/** Whether a statement returns no rows and has an effect, so that Describe must not run it. */
export const hasOnlyEffect = (statement: sql.PostgresStatement): boolean =>
  routeOf(statement) === 'write' ||
  (routeOf(statement) === 'session' && !['SHOW', 'FETCH'].includes(statement.tokens[0].upper));

export class StatementAnswers {
  readonly #dependencies: StatementDependencies;
  readonly #state: SessionState;
  readonly #catalog: CatalogAnswers;

  constructor(dependencies: StatementDependencies, state: SessionState) {
    this.#dependencies = dependencies;
    this.#state = state;
    this.#catalog = new CatalogAnswers(dependencies, state.userName);
  }

  /** Rejects with ProtocolError or QuarryError. */
  async answer(statement: sql.PostgresStatement, portal: Portal): Promise<Answer> {
    const { formats } = portal;
    const state = this.#state;
    const route = routeOf(statement);
    if (state.transaction === 'E' && !ENDS.includes(statement.tokens[0].upper)) {
      throw new ProtocolError(
        '25P02',
        'the transaction has failed; statements are ignored until its end (ROLLBACK)',
      );
    }
    if (statement.tokens[0].upper === 'EXECUTE') return this.#executed(statement, portal);
    if (route === 'session') {
      const ofCursor = this.#ofCursor(statement, portal);
      if (ofCursor !== null) return ofCursor;
      await this.#commit(statement, portal.waiting);
      const options = { text: portal.prepared.text, formats };
      return answerSession(statement, options, state) ?? this.#ofCatalog(statement, portal);
    }
    if (route === 'write') return this.#write(statement, portal);
    if (route === 'rows' && !state.writes.isEmpty) throw new ProtocolError('0A000', UNSEEN);
    if (this.#readsOneVersion) await state.version.known();
    if (route === 'mixed') throw new ProtocolError('0A000', MIXED);
    if (route === 'catalog' || route === 'either') {
      const immediate = this.#immediate(statement, portal);
      if (immediate !== null) return immediate;
    }
    if (route === 'catalog' || portal.prepared.isOfCatalog) return this.#ofCatalog(statement, portal);
    try {
      return this.#ofEngine(statement, portal);
    } catch (error) {
      if (route !== 'either' || !mayBeOfCatalog(error)) throw error;
      return this.#ofCatalog(statement, portal);
    }
  }

  async #executed(statement: sql.PostgresStatement, portal: Portal): Promise<Answer> {
    const execute = readExecute(statement);
    const prepared = this.#state.prepared(execute.name);
    const inner = executedPortal(prepared, execute, portal);
    if (prepared.statement === null) throw new ProtocolError('XX000', 'an empty query has no answer');
    return withTextLater(prepared.text, () =>
      this.answer(prepared.statement as sql.PostgresStatement, inner),
    );
  }

  get #readsOneVersion(): boolean {
    return this.#state.transaction === 'T' && this.#state.settings.readsOneVersion;
  }

  #immediate(statement: sql.PostgresStatement, portal: Portal): Answer | null {
    const { client, sessions } = this.#dependencies;
    const parameters = (): readonly sql.SqlParameter[] => parametersOf(portal);
    return (
      answerImmediately(statement, this.#state, portal.formats, parameters) ??
      answerBackendCall(statement, portal.formats, parameters, () => sessions(client.open()))
    );
  }

  /** Makes the writes of the block take effect before COMMIT is answered. */
  async #commit(statement: sql.PostgresStatement, waiting: Waiting): Promise<void> {
    const state = this.#state;
    const isCommit = ['COMMIT', 'END'].includes(statement.tokens[0].upper);
    if (!isCommit || state.transaction !== 'T' || state.writes.isEmpty) return;
    try {
      await this.commitWrites(statement.text, waiting);
    } catch (error) {
      state.transaction = 'I';
      state.endTransaction(false);
      throw error;
    }
  }

  /** Rejects with nothing written. */
  async commitWrites(text: string, waiting = new Waiting()): Promise<void> {
    const request = this.#dependencies.client.execute('rows', text, () => waiting.cancel());
    try {
      await this.#state.writes.commit(request, this.#state.tables, waiting);
    } catch (error) {
      request.ended(error instanceof ProtocolError ? null : error, 0);
      throw error;
    }
    request.ended(null, 0);
  }

  async #write(statement: sql.PostgresStatement, portal: Portal): Promise<Answer> {
    const { upper } = statement.tokens[0];
    if (upper === 'NOTIFY') throw new ProtocolError('0A000', NOTIFICATIONS);
    const isOfTables = sql.changesModel(statement.tokens);
    if (upper !== 'COPY' && !isOfTables && !sql.beginsWrite(statement)) {
      throw new ProtocolError('0A000', ROWS_ONLY);
    }

    const copy = upper === 'COPY' ? readCopy(statement, portal.prepared.text) : null;
    if (copy?.is === 'to') {
      const inner = newPortal(portal.prepared, portal.values, portal.parameterFormats, []);
      portal.waiting.alsoOnCancel(() => inner.waiting.cancel(portal.waiting.isLate));
      return answerCopyTo(await this.#openCursor(copy.query, inner), copy.options);
    }
    const { engine, client } = this.#dependencies;
    const request = client.execute('rows', statement.text, () => portal.waiting.cancel());
    try {
      if (isOfTables) {
        const parsed = sql.readPostgresModel(statement, parametersOf(portal));
        return await this.#tables(parsed, request, portal, upper);
      }
      if (copy !== null) return answerCopyFrom(copy, this.#state, engine, request, portal.waiting);
      const parameters = parametersOf(portal);
      const write = sql.readPostgresWrite(statement, parameters);
      const bytes = statement.text.length + parameterBytes(parameters);
      const { waiting } = portal;
      const { tables, writes, settings } = this.#state;
      if (tables.hides(write.table)) {
        if (!writes.isEmpty) throw new ProtocolError('0A000', UNSEEN);
        const scope = this.#scope(statement.text);
        const own = await answerSessionWrite(write, scope, engine, request, waiting);
        if (own === null) throw new ProtocolError('42P01', 'the temporary table was dropped');
        request.ended(null, 0);
        return own;
      }
      if (settings.isReadOnly) throw readOnly(upper);
      const options = { bytes, formats: portal.formats, waiting };
      const context = writes.contextAfter(request.context, tables);
      const whole = sql.withColumns(write, requestOf(context, 'postgres'));
      return await answerWrite(whole, options, this.#state, engine, request);
    } catch (error) {
      request.ended(error instanceof ProtocolError ? null : error, 0);
      throw error;
    }
  }

  #scope(text: string): SessionScope {
    const { engine } = this.#dependencies;
    const { tables } = this.#state;
    return { tables, textLength: text.length, hold: (bytes) => engine.holdMemory(bytes) };
  }

  async #tables(
    statement: sql.ModelStatement,
    request: PostgresRequest,
    { waiting, prepared }: Portal,
    verb: string,
  ): Promise<Answer> {
    const { engine } = this.#dependencies;
    const { tables, writes, settings } = this.#state;
    const isOfSession =
      statement.is === 'drop-table'
        ? statement.tables.some((table) => tables.hides(table))
        : 'temporary' in statement && statement.temporary;
    if (isOfSession && !writes.isEmpty) throw new ProtocolError('0A000', UNSEEN);
    const { text } = prepared;
    const scope = this.#scope(text);
    const own = await answerSessionTables(statement, scope, engine, request, waiting);
    if (own !== null) {
      request.ended(null, 0);
      return own;
    }
    if (settings.isReadOnly) throw readOnly(verb);
    const isOfView = statement.is === 'create-view' || (statement.is === 'drop-table' && statement.ofView);
    if (isOfView && prepared.typeIds.length > 0)
      throw new ProtocolError('42P02', 'a view cannot have parameters');
    const dropped =
      statement.is === 'drop-table' ? statement.tables.filter((table) => tables.hides(table)) : [];
    const lasting =
      statement.is === 'drop-table'
        ? { ...statement, tables: statement.tables.filter((table) => !dropped.includes(table)) }
        : statement;
    const { dialect } = settings;
    const write = { is: 'model', statement: lasting, text, dialect, bytes: text.length } as const;
    const answer = await answerModel(write, this.#state, engine, request, waiting);
    for (const { name } of dropped) tables.drop(name);
    return answer;
  }

  #ofCursor(statement: sql.PostgresStatement, portal: Portal): Answer | Promise<Answer> | null {
    switch (statement.tokens[0].upper) {
      case 'DECLARE':
        return answerDeclare(
          statement,
          portal,
          this.#state,
          (query, inner) => this.#openCursor(query, inner),
          (bytes) => this.#dependencies.engine.holdMemory(bytes),
        );
      case 'FETCH':
      case 'MOVE':
        return answerFetch(statement, portal, this.#state);
      case 'CLOSE':
        return answerClose(statement, this.#state);
      default:
        return null;
    }
  }

  #openCursor(query: sql.PostgresStatement, portal: Portal): Promise<Answer> {
    if (['session', 'write', 'unknown'].includes(routeOf(query))) {
      throw new ProtocolError('42601', 'a cursor requires a query that returns rows');
    }
    return this.answer(query, portal);
  }

  /** RowDescription of the rows that RETURNING will return; null = the statement returns none. Throws like `answer`. */
  describeReturning(statement: sql.PostgresStatement, portal: Portal): Buffer | null {
    if (!statement.tokens.some(({ upper }) => upper === 'RETURNING') || !sql.beginsWrite(statement))
      return null;
    const write = sql.readPostgresWrite(statement, parametersOf(portal));
    if (write.returning === null) return null;
    const context = this.#dependencies.client.open();
    const fields = returnedFields(sql.withColumns(write, requestOf(context, 'postgres')), context);
    return rowDescription(fields, formatsFor(portal.formats, fields.length));
  }

  /**
   * Describes the parameters and rows of a SELECT whose parameter values are unknown, and stores the description in the prepared
   * statement. Returns null if the statement must be run to describe it. Rejects like `answer`.
   */
  async describe(statement: sql.PostgresStatement, portal: Portal): Promise<StatementDescription | null> {
    const { prepared, waiting } = portal;
    const route = routeOf(statement);
    if (route === 'catalog' && this.#immediate(statement, portal) === null) {
      return this.#catalog.describe(statement, prepared, waiting);
    }
    if (route !== 'rows' && route !== 'either') return null;
    const admission = this.#dependencies.client.open();
    const typeIds = this.#typesOf(statement, prepared, admission);
    try {
      prepared.describedFields = fieldsWithout(
        statement,
        typeIds,
        admission,
        this.#state.settings.dialect,
        this.#state.tables,
      );
    } catch (error) {
      if (route === 'rows' || !mayBeOfCatalog(error)) throw error;
      if (this.#immediate(statement, portal) !== null) return null;
      return this.#catalog.describe(statement, prepared, waiting);
    }
    const rows = rowDescription(prepared.describedFields, formatsFor([], prepared.describedFields.length));
    return { typeIds: typeIds.map((id) => (id === 0 ? TYPE.text : id)), rows };
  }

  #typesOf(
    statement: sql.PostgresStatement,
    prepared: PreparedStatement,
    admission: DatabaseContext,
  ): readonly number[] {
    prepared.inferredIds ??= parameterTypes(statement, prepared.typeIds, admission);
    return prepared.inferredIds;
  }

  #ofEngine(statement: sql.PostgresStatement, portal: Portal): Answer {
    const { prepared, values, parameterFormats, formats, waiting } = portal;
    const request = this.#dependencies.client.execute('rows', statement.text, () => waiting.cancel());
    try {
      const { context: admission } = request;
      const isOpen = (at: number): boolean => prepared.typeIds[at] === 0 && parameterFormats[at] === BINARY;
      if (values.some((_, at) => isOpen(at))) this.#typesOf(statement, prepared, admission);
      const { settings, tables } = this.#state;
      const bound = bindSelect(statement, parametersOf(portal), admission, settings.dialect, tables);
      const fields = fieldsAsDescribed(rowFields(bound), prepared.describedFields);
      if (fields === null) throw misfit(portal) ?? new ResultChanged();
      const { engine } = this.#dependencies;
      const version = this.#readsOneVersion ? this.#state.version.begin(bound.plan, engine.records) : null;
      return answerSelect(engine, request, bound, fields, { formats, waiting, version });
    } catch (error) {
      request.ended(error instanceof ProtocolError ? null : error, 0);
      throw error;
    }
  }

  async #ofCatalog(statement: sql.PostgresStatement, portal: Portal): Promise<Answer> {
    try {
      return await this.#catalog.answer(statement, portal);
    } catch (error) {
      if (error instanceof ReadsRows) return this.#ofEngine(statement, portal);
      throw error;
    }
  }
}
