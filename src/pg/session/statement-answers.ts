/** Answers statements: in the session, on the engine or in the catalog. */
import type { EngineApi } from '../../engine/index.js';
import * as sql from '../../sql/index.js';
import type { VisibleSessions } from '../activity/activity.js';
import { answerBackendCall } from '../activity/backend-calls.js';
import {
  type CatalogRunner,
  type CatalogStatement,
  catalogAnswer,
  catalogDescription,
} from '../catalog/answer.js';
import { arrayTypeOf, typeIdOf } from '../protocol/arrays.js';
import { formatsFor } from '../protocol/binary.js';
import { ProtocolError, ReadsRows, ResultChanged } from '../protocol/errors.js';
import { BINARY, type RowField, rowDescription, TEXT_FORMAT } from '../protocol/messages.js';
import { parameterValue } from '../protocol/parameters.js';
import { rowField, TYPE } from '../protocol/types.js';
import type { Answer } from './answer.js';
import { answerCopyTo } from './copy-out.js';
import { readCopy } from './copy-statement.js';
import { answerClose, answerDeclare, answerFetch } from './cursor-answers.js';
import { answerImmediately } from './driver-queries.js';
import { fieldsWithout, isOfSql, newPortal, type Portal, type PreparedStatement } from './portal.js';
import { forbiddenCall, routeOf } from './routing.js';
import {
  answerSelect,
  bindSelect,
  type DatabaseContext,
  type PostgresRequest,
  planSelect,
  rowFields,
} from './select.js';
import { answerSession, NOTIFICATIONS, type SessionState } from './session-statement.js';
import { answerSessionTables, answerTables } from './table-answers.js';
import { answerViews } from './view-answers.js';
import type { Waiting } from './waiting.js';
import { answerCopyFrom, answerWrite, returnedFields } from './write-answers.js';

/** The client of a session, with its key and address. */
export interface PostgresClient {
  /** The current state of the database. Throws if the client is not authorized. */
  open(): DatabaseContext;
  execute(scope: 'rows' | 'columns', text: string): PostgresRequest;
}

/** A SELECT before its parameters are known. */
export interface StatementDescription {
  readonly typeIds: readonly number[];
  /** RowDescription; null = the statement returns no rows. */
  readonly rows: Buffer | null;
}

export interface StatementDependencies {
  readonly client: PostgresClient;
  readonly engine: Pick<EngineApi, 'select' | 'script' | 'change' | 'holdMemory'>;
  readonly catalog: CatalogRunner;
  readonly sessions: VisibleSessions;
}

const ROWS_ONLY =
  'this port writes with INSERT, UPDATE, DELETE, COPY, CREATE TABLE and DROP TABLE; for other changes of the model use /v1/dimension and /v1/column';
const NO_TABLES_IN_BLOCK =
  'CREATE and DROP of tables and views that last cannot run inside a transaction block';
const UNSEEN =
  'the writes of this transaction block take effect at COMMIT, so a SELECT would not see them: COMMIT first';
const MIXED =
  'tables of the catalog cannot be combined with tables of rows: query them in separate statements';
const SHOWN_BYTES_MAX = 80;
const ENDS: readonly string[] = ['COMMIT', 'END', 'ROLLBACK', 'ABORT'];

/** Whether a statement returns no rows and has an effect, so that Describe must not run it. */
export const hasOnlyEffect = (statement: sql.PostgresStatement): boolean =>
  routeOf(statement) === 'write' ||
  (routeOf(statement) === 'session' && !['SHOW', 'FETCH'].includes(statement.tokens[0].upper));

export class StatementAnswers {
  readonly #dependencies: StatementDependencies;
  readonly #state: SessionState;

  constructor(dependencies: StatementDependencies, state: SessionState) {
    this.#dependencies = dependencies;
    this.#state = state;
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
    if (route === 'session') {
      const ofCursor = this.#ofCursor(statement, portal);
      if (ofCursor !== null) return ofCursor;
      await this.#commit(statement);
      return answerSession(statement, state, formats) ?? this.#ofCatalog(statement, portal);
    }
    if (route === 'write') return this.#write(statement, portal);
    if (route === 'rows' && !state.writes.isEmpty) throw new ProtocolError('0A000', UNSEEN);
    if (route === 'mixed') throw new ProtocolError('0A000', MIXED);
    if (route === 'catalog' || route === 'either') {
      const immediate = this.#immediate(statement, portal);
      if (immediate !== null) return immediate;
    }
    if (route === 'catalog' || portal.prepared.isOfCatalog) return this.#ofCatalog(statement, portal);
    try {
      return this.#ofEngine(statement, portal);
    } catch (error) {
      if (route !== 'either' || !isOfSql(error)) throw error;
      return this.#ofCatalog(statement, portal);
    }
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
  async #commit(statement: sql.PostgresStatement): Promise<void> {
    const state = this.#state;
    const isCommit = ['COMMIT', 'END'].includes(statement.tokens[0].upper);
    if (!isCommit || state.transaction !== 'T' || state.writes.isEmpty) return;
    try {
      await this.commitWrites(statement.text);
    } catch (error) {
      state.transaction = 'I';
      state.endTransaction(false);
      throw error;
    }
  }

  /** Rejects with nothing written. */
  async commitWrites(text: string): Promise<void> {
    const request = this.#dependencies.client.execute('rows', text);
    try {
      await this.#state.writes.commit(request, this.#state.tables);
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
    const request = client.execute('rows', statement.text);
    try {
      if (isOfTables) {
        const parsed = sql.readPostgresModel(statement, parametersOf(portal));
        return await this.#tables(parsed, request, portal);
      }
      if (copy !== null) return answerCopyFrom(copy, this.#state, engine, request, portal.waiting);
      const parameters = parametersOf(portal);
      const write = sql.readPostgresWrite(statement, parameters);
      const bytes = statement.text.length + parameterBytes(parameters);
      const { waiting } = portal;
      const options = { bytes, formats: portal.formats, waiting };
      return await answerWrite(write, options, this.#state, engine, request);
    } catch (error) {
      request.ended(error instanceof ProtocolError ? null : error, 0);
      throw error;
    }
  }

  async #tables(
    statement: sql.ModelStatement,
    request: PostgresRequest,
    { waiting, prepared }: Portal,
  ): Promise<Answer> {
    const { engine } = this.#dependencies;
    const { tables, writes, isInBlock, settings } = this.#state;
    const isOfSession = statement.is !== 'create-table' || statement.temporary;
    if (isOfSession && !writes.isEmpty) throw new ProtocolError('0A000', UNSEEN);
    const scope = { tables, hold: (bytes: number) => engine.holdMemory(bytes) };
    const own = await answerSessionTables(statement, scope, engine, request, waiting);
    if (own !== null) {
      request.ended(null, 0);
      return own;
    }
    if (isInBlock) throw new ProtocolError('25001', NO_TABLES_IN_BLOCK);
    if (statement.is === 'create-view' || (statement.is === 'drop-table' && statement.ofView)) {
      if (prepared.typeIds.length > 0) throw new ProtocolError('42P02', 'a view cannot have parameters');
      return answerViews(statement, prepared.text, settings.dialect, engine, request);
    }
    return answerTables(statement, engine, request, waiting);
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
    const fields = returnedFields(write, this.#dependencies.client.open());
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
      return this.#describedByCatalog(statement, prepared, waiting);
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
      if (route === 'rows') throw error;
      if (this.#immediate(statement, portal) !== null) return null;
      return this.#describedByCatalog(statement, prepared, waiting);
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
    const request = this.#dependencies.client.execute('rows', statement.text);
    try {
      const { context: admission } = request;
      const isOpen = (at: number): boolean => prepared.typeIds[at] === 0 && parameterFormats[at] === BINARY;
      if (values.some((_, at) => isOpen(at))) this.#typesOf(statement, prepared, admission);
      const { settings, tables } = this.#state;
      const bound = bindSelect(statement, parametersOf(portal), admission, settings.dialect, tables);
      const fields = fieldsAsDescribed(rowFields(bound), prepared.describedFields);
      if (fields === null) throw misfit(portal) ?? new ResultChanged();
      return answerSelect(this.#dependencies.engine, request, bound, fields, formats, waiting);
    } catch (error) {
      request.ended(error instanceof ProtocolError ? null : error, 0);
      throw error;
    }
  }

  async #ofCatalog(statement: sql.PostgresStatement, portal: Portal): Promise<Answer> {
    const { values, parameterFormats, formats, prepared, waiting } = portal;
    const bound = { values, parameterFormats, formats };
    try {
      return await this.#queryCatalog(statement, prepared, (request, catalogStatement) =>
        catalogAnswer(this.#dependencies.catalog, request, catalogStatement, bound, waiting),
      );
    } catch (error) {
      if (error instanceof ReadsRows) return this.#ofEngine(statement, portal);
      throw error;
    }
  }

  async #describedByCatalog(
    statement: sql.PostgresStatement,
    prepared: PreparedStatement,
    waiting: Waiting,
  ): Promise<StatementDescription | null> {
    try {
      const described = await this.#queryCatalog(statement, prepared, (request, catalogStatement) =>
        catalogDescription(this.#dependencies.catalog, request, catalogStatement, waiting),
      );
      prepared.isOfCatalog = true;
      return described;
    } catch (error) {
      if (error instanceof ReadsRows) return null;
      throw error;
    }
  }

  async #queryCatalog<T>(
    statement: sql.PostgresStatement,
    { text, typeIds }: PreparedStatement,
    query: (request: PostgresRequest, catalogStatement: CatalogStatement) => Promise<T>,
  ): Promise<T> {
    const forbidden = forbiddenCall(statement);
    if (forbidden !== null) {
      throw new ProtocolError('42501', `${forbidden.text} is not available: the catalog is read-only`);
    }
    const request = this.#dependencies.client.execute('columns', statement.text);
    const catalogStatement: CatalogStatement = {
      text: withNewerNames(statement, text),
      position: sql.characterAt(text, statement.tokens[0].position),
      typeIds,
      userName: this.#state.userName,
      sessions: () => this.#dependencies.sessions(request.context),
    };
    try {
      return await query(request, catalogStatement);
    } catch (error) {
      request.ended(error instanceof ProtocolError || error instanceof ReadsRows ? null : error, 0);
      throw error;
    }
  }
}

const parameterBytes = (parameters: readonly sql.SqlParameter[]): number =>
  parameters.reduce((sum, one) => sum + ('text' in one ? one.text.length : 1), 0);

/** The parameter values, by the types from the client; open types are inferred for binary values and NULL. */
function parametersOf({ prepared, values, parameterFormats }: Portal): readonly sql.SqlParameter[] {
  const { typeIds, inferredIds } = prepared;
  return values.map((value, at) => {
    const isInferred = typeIds[at] === 0 && (value === null || parameterFormats[at] === BINARY);
    const typeId = isInferred ? (inferredIds?.[at] ?? 0) : typeIds[at];
    return parameterValue(value, typeId, parameterFormats[at]);
  });
}

/** Types whose values convert to another type in text without loss, by the number of that type. */
const LOSSLESS_TYPES: ReadonlyMap<number, readonly number[]> = new Map([
  [TYPE.numeric, [TYPE.int8]],
  [TYPE.text, [TYPE.int8, TYPE.numeric, TYPE.date, TYPE.json]],
]);

const WHOLE = /^\s*[+-]?\d+\s*$/;

/** The error for a text parameter that was described as an integer but is not one; null = there is none. */
function misfit({ prepared: { inferredIds, typeIds }, values, parameterFormats }: Portal): Error | null {
  const wrong = values.find(
    (value, at) =>
      value !== null &&
      typeIds[at] === 0 &&
      inferredIds?.[at] === TYPE.int8 &&
      parameterFormats[at] === TEXT_FORMAT &&
      !WHOLE.test(value.toString('latin1')),
  );
  if (wrong === undefined || wrong === null) return null;
  const shown = JSON.stringify(wrong.toString('latin1', 0, SHOWN_BYTES_MAX));
  return new ProtocolError('22P02', `${shown} is not an integer, as which the parameter was described`);
}

/** The fields to send for rows with `fields`; null = the rows do not convert to the described fields. */
function fieldsAsDescribed(
  fields: readonly RowField[],
  described: readonly RowField[] | null,
): readonly RowField[] | null {
  if (described === null) return fields;
  const isCompatible =
    described.length === fields.length &&
    described.every(({ name, typeId }, at) => {
      const field = fields[at];
      const isSame = field.typeId === typeId || LOSSLESS_TYPES.get(typeId)?.includes(field.typeId) === true;
      return isSame && field.name === name;
    });
  if (!isCompatible) return null;
  return fields.map((field, at) => (field.typeId === described[at].typeId ? field : described[at]));
}

/**
 * Infers the parameter types that the client left open, as Postgres does: from casts and from the other operand. `given` has 0
 * for open types. Returns the types with the inferred ones filled in; 0 = could not be inferred.
 */
function parameterTypes(
  statement: sql.PostgresStatement,
  given: readonly number[],
  admission: DatabaseContext,
): readonly number[] {
  if (!given.includes(0)) return given;
  try {
    const uses = sql.parameterUses(statement);
    const types = new Map([...new Set(uses)].map((use) => [use, typeOf(use, admission)] as const));
    return given.map((id, at) => (id === 0 ? (types.get(uses[at]) ?? 0) : id));
  } catch {
    // A statement that cannot be parsed or bound is refused when it is executed.
    return given;
  }
}

function typeOf(use: sql.ParameterUse | null, admission: DatabaseContext): number {
  if (use === null) return 0;
  if (use.is === 'count') return TYPE.int8;
  if (use.is === 'cast') return typeIdOf(use.type);
  try {
    const [output] = planSelect(use.select, admission, 'postgres').outputs;
    const { typeId } = rowField(output);
    // Lists are compared with their items.
    if (typeId === TYPE.json) return 0;
    return use.isArray ? arrayTypeOf(typeId) : typeId;
  } catch {
    return 0;
  }
}

/**
 * Columns of pg_catalog that version 17 renamed, by the old name in upper case. psql 15 and 16 list databases and collations with
 * the old names.
 */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['DATICULOCALE', 'datlocale'],
  ['COLLICULOCALE', 'colllocale'],
]);

/**
 * Replaces the old names of a statement by the new ones, which have the same length, so that positions stay valid.
 * `text` is the query to which the statement's positions refer.
 */
export function withNewerNames({ text: own, tokens }: sql.PostgresStatement, text: string): string {
  const renamed = tokens.filter(({ kind, upper }) => kind === 'word' && RENAMED.has(upper));
  if (renamed.length === 0) return own;
  const characters = Array.from(own);
  const begin = sql.characterAt(text, tokens[0].position);
  for (const { upper, position } of renamed) {
    const newer = RENAMED.get(upper)?.padEnd(upper.length) ?? '';
    characters.splice(sql.characterAt(text, position) - begin, newer.length, ...newer);
  }
  return characters.join('');
}
