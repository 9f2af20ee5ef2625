/** How a statement is answered: by the session itself, by the engine or by the catalog. */
import type { EngineApi } from '../engine/index.js';
import * as sql from '../sql/index.js';
import type { Answer } from './answer.js';
import { answerAtOnce } from './at-once.js';
import { formatsFor } from './binary.js';
import {
  type CatalogAsker,
  type CatalogStatement,
  catalogAnswer,
  catalogDescription,
} from './catalog-answer.js';
import { ProtocolFault, ReadsRows, ResultChanged } from './fault.js';
import { BINARY, type RowField, rowDescription, TEXT } from './messages.js';
import { withNewerNames } from './older-names.js';
import { parameterTypes } from './parameter-types.js';
import { parameterValue } from './parameters.js';
import { fieldsWithout, isOfSql, type Portal, type Prepared } from './portal.js';
import { forbiddenCall, routeOf } from './routing.js';
import { type Admission, type AskedRequest, answerSelect, bindSelect, rowFields } from './select.js';
import { answerSession, type SessionState } from './session-statement.js';
import { TYPE } from './types.js';
import type { Waiting } from './waiting.js';

/** Who is let in, and asks: bound to a key and an address. */
export interface Asking {
  /** The database now. Throws what such a client is refused with. */
  open(): Admission;
  ask(askedFor: 'rows' | 'columns', text: string): AskedRequest;
}

/** A SELECT before its parameters are known. */
export interface Described {
  readonly typeIds: readonly number[];
  /** RowDescription; null = no rows can come. */
  readonly rows: Buffer | null;
}

export interface AnswerNeeds {
  readonly asking: Asking;
  readonly engine: Pick<EngineApi, 'select'>;
  readonly catalog: CatalogAsker;
}

const READ_ONLY =
  'this port is for reading: rows are written with POST /v1/insert, /v1/update, /v1/delete or /v1/sql, dimensions and columns made with /v1/dimension and /v1/column';
const MIXED =
  'tables of the catalog are not available beside tables of rows: ask for either in a statement of its own';
const SHOWN_BYTES_MAX = 80;
const ENDS: readonly string[] = ['COMMIT', 'END', 'ROLLBACK', 'ABORT'];

/** What gives no rows, and has its effect when it is answered: it is not answered in order to be described. */
export const hasEffectAlone = (statement: sql.PostgresStatement): boolean =>
  routeOf(statement) === 'session' && statement.tokens[0].upper !== 'SHOW';

export class StatementAnswers {
  readonly #needs: AnswerNeeds;
  readonly #state: SessionState;

  constructor(needs: AnswerNeeds, state: SessionState) {
    this.#needs = needs;
    this.#state = state;
  }

  /** Rejects with ProtocolFault, and with what the statement is refused with. */
  async answer(statement: sql.PostgresStatement, portal: Portal): Promise<Answer> {
    const { formats } = portal;
    const state = this.#state;
    const route = routeOf(statement);
    if (state.transaction === 'E' && !ENDS.includes(statement.tokens[0].upper)) {
      throw new ProtocolFault(
        '25P02',
        'the transaction has failed; nothing is done up to its end (ROLLBACK)',
      );
    }
    if (route === 'session') {
      return answerSession(statement, state, formats) ?? this.#ofCatalog(statement, portal);
    }
    if (route === 'write') throw new ProtocolFault('25006', READ_ONLY);
    if (route === 'mixed') throw new ProtocolFault('0A000', MIXED);
    if (route === 'catalog' || route === 'either') {
      const atOnce = answerAtOnce(statement, state, formats, () => parametersOf(portal));
      if (atOnce !== null) return atOnce;
    }
    if (route === 'catalog' || portal.prepared.isOfCatalog) return this.#ofCatalog(statement, portal);
    try {
      return this.#ofEngine(statement, portal);
    } catch (error) {
      if (route !== 'either' || !isOfSql(error)) throw error;
      return this.#ofCatalog(statement, portal);
    }
  }

  /**
   * The parameters and the rows of a SELECT, whatever the parameters will be; what was prepared remembers both. null = it is
   * answered in order to be described. Rejects as `answer` does.
   */
  async describe(statement: sql.PostgresStatement, { prepared, waiting }: Portal): Promise<Described | null> {
    const route = routeOf(statement);
    if (route === 'catalog' && answerAtOnce(statement, this.#state, [], () => []) === null) {
      return this.#describedByCatalog(statement, prepared, waiting);
    }
    if (route !== 'rows' && route !== 'either') return null;
    const admission = this.#needs.asking.open();
    const typeIds = this.#typesOf(statement, prepared, admission);
    try {
      prepared.told = fieldsWithout(statement, typeIds, admission);
    } catch (error) {
      if (route === 'rows') throw error;
      if (answerAtOnce(statement, this.#state, [], () => []) !== null) return null;
      return this.#describedByCatalog(statement, prepared, waiting);
    }
    const rows = rowDescription(prepared.told, formatsFor([], prepared.told.length));
    return { typeIds: typeIds.map((id) => (id === 0 ? TYPE.text : id)), rows };
  }

  #typesOf(statement: sql.PostgresStatement, prepared: Prepared, admission: Admission): readonly number[] {
    prepared.inferredIds ??= parameterTypes(statement, prepared.typeIds, admission);
    return prepared.inferredIds;
  }

  #ofEngine(statement: sql.PostgresStatement, portal: Portal): Answer {
    const { prepared, values, parameterFormats, formats, waiting } = portal;
    const request = this.#needs.asking.ask('rows', statement.text);
    try {
      const { admission } = request;
      const isOpen = (at: number): boolean => prepared.typeIds[at] === 0 && parameterFormats[at] === BINARY;
      if (values.some((_, at) => isOpen(at))) this.#typesOf(statement, prepared, admission);
      const bound = bindSelect(statement, parametersOf(portal), admission);
      const fields = fieldsAsTold(rowFields(bound), prepared.told);
      if (fields === null) throw misfit(portal) ?? new ResultChanged();
      return answerSelect(this.#needs.engine, request, bound, fields, formats, waiting);
    } catch (error) {
      request.over(error instanceof ProtocolFault ? null : error, 0);
      throw error;
    }
  }

  async #ofCatalog(statement: sql.PostgresStatement, portal: Portal): Promise<Answer> {
    const { values, parameterFormats, formats, prepared, waiting } = portal;
    const bound = { values, parameterFormats, formats };
    try {
      return await this.#askCatalog(statement, prepared, (request, asked) =>
        catalogAnswer(this.#needs.catalog, request, asked, bound, waiting),
      );
    } catch (error) {
      if (error instanceof ReadsRows) return this.#ofEngine(statement, portal);
      throw error;
    }
  }

  async #describedByCatalog(
    statement: sql.PostgresStatement,
    prepared: Prepared,
    waiting: Waiting,
  ): Promise<Described | null> {
    try {
      const described = await this.#askCatalog(statement, prepared, (request, asked) =>
        catalogDescription(this.#needs.catalog, request, asked, waiting),
      );
      prepared.isOfCatalog = true;
      return described;
    } catch (error) {
      if (error instanceof ReadsRows) return null;
      throw error;
    }
  }

  async #askCatalog<T>(
    statement: sql.PostgresStatement,
    { text, typeIds }: Prepared,
    ask: (request: AskedRequest, asked: CatalogStatement) => Promise<T>,
  ): Promise<T> {
    const forbidden = forbiddenCall(statement);
    if (forbidden !== null) {
      throw new ProtocolFault('42501', `${forbidden.text} is not available: the catalog is for looking at`);
    }
    const asked: CatalogStatement = {
      text: withNewerNames(statement, text),
      position: sql.characterAt(text, statement.tokens[0].position),
      typeIds,
      userName: this.#state.userName,
    };
    const request = this.#needs.asking.ask('columns', statement.text);
    try {
      return await ask(request, asked);
    } catch (error) {
      request.over(error instanceof ProtocolFault || error instanceof ReadsRows ? null : error, 0);
      throw error;
    }
  }
}

/** Values of the types that were given; of those that were inferred where bytes can be read by their types alone. */
function parametersOf({ prepared, values, parameterFormats }: Portal): readonly sql.SqlParameter[] {
  const { typeIds, inferredIds } = prepared;
  return values.map((value, at) => {
    const isInferred = typeIds[at] === 0 && (value === null || parameterFormats[at] === BINARY);
    const typeId = isInferred ? (inferredIds?.[at] ?? 0) : typeIds[at];
    return parameterValue(value, typeId, parameterFormats[at]);
  });
}

/** Types whose values are told as others without loss, in text: by number of the type that was told. */
const TOLD_AS: ReadonlyMap<number, readonly number[]> = new Map([
  [TYPE.numeric, [TYPE.int8]],
  [TYPE.text, [TYPE.int8, TYPE.numeric, TYPE.date, TYPE.json]],
]);

const WHOLE = /^\s*[+-]?\d+\s*$/;

/** A parameter in text that was inferred to be an integer, and is none. */
function misfit({ prepared: { inferredIds, typeIds }, values, parameterFormats }: Portal): Error | null {
  const wrong = values.find(
    (value, at) =>
      value !== null &&
      typeIds[at] === 0 &&
      inferredIds?.[at] === TYPE.int8 &&
      parameterFormats[at] === TEXT &&
      !WHOLE.test(value.toString('latin1')),
  );
  if (wrong === undefined || wrong === null) return null;
  const shown = JSON.stringify(wrong.toString('latin1', 0, SHOWN_BYTES_MAX));
  return new ProtocolFault('22P02', `${shown} is no integer, which the parameter was described as`);
}

/** null = what was told cannot be kept to. */
function fieldsAsTold(
  fields: readonly RowField[],
  told: readonly RowField[] | null,
): readonly RowField[] | null {
  if (told === null) return fields;
  const isKept =
    told.length === fields.length &&
    told.every(({ name, typeId }, at) => {
      const field = fields[at];
      const isSame = field.typeId === typeId || TOLD_AS.get(typeId)?.includes(field.typeId) === true;
      return isSame && field.name === name;
    });
  if (!isKept) return null;
  return fields.map((field, at) => (field.typeId === told[at].typeId ? field : told[at]));
}
