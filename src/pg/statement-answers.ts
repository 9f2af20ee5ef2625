/** How a statement is answered: by the session itself, by the engine or by the catalog. */
import type { EngineApi } from '../engine/index.js';
import * as sql from '../sql/index.js';
import type { Answer } from './answer.js';
import { formatsFor } from './binary.js';
import { type CatalogAsker, type CatalogStatement, catalogAnswer } from './catalog-answer.js';
import { ProtocolFault } from './fault.js';
import { rowDescription } from './messages.js';
import { withNewerNames } from './older-names.js';
import { parameterValue } from './parameters.js';
import { fieldsWithout, isOfSql, type Portal, type Prepared } from './portal.js';
import { forbiddenCall, routeOf } from './routing.js';
import { type Admission, type AskedRequest, answerSelect, bindSelect } from './select.js';
import { answerAtOnce, answerSession, type SessionState } from './session-statement.js';
import type { Waiting } from './waiting.js';

/** Who is let in, and asks: bound to a key and an address. */
export interface Asking {
  /** The database now. Throws what such a client is refused with. */
  open(): Admission;
  ask(askedFor: 'rows' | 'columns', text: string): AskedRequest;
}

export interface AnswerNeeds {
  readonly asking: Asking;
  readonly engine: Pick<EngineApi, 'select'>;
  readonly catalog: CatalogAsker;
}

const READ_ONLY =
  'this port is for reading: rows are written with POST /v1/insert, /v1/update, /v1/delete or /v1/sql, dimensions and columns made with /v1/dimension and /v1/column';
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
  async answer(statement: sql.PostgresStatement, portal: Portal, waiting: Waiting): Promise<Answer> {
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
      return answerSession(statement, state, formats) ?? this.#ofCatalog(statement, portal, waiting);
    }
    if (route === 'write') throw new ProtocolFault('25006', READ_ONLY);
    if (route === 'catalog' || route === 'either') {
      const atOnce = answerAtOnce(statement, state, formats);
      if (atOnce !== null) return atOnce;
    }
    if (route === 'catalog') return this.#ofCatalog(statement, portal, waiting);
    try {
      return this.#ofEngine(statement, portal, waiting);
    } catch (error) {
      if (route !== 'either' || !isOfSql(error)) throw error;
      return this.#ofCatalog(statement, portal, waiting);
    }
  }

  /** RowDescription of the engine's rows, whatever the parameters will be; null = it is not the engine that gives them. */
  describe(statement: sql.PostgresStatement, { typeIds }: Prepared): Buffer | null {
    const route = routeOf(statement);
    if (route !== 'rows' && route !== 'either') return null;
    const admission = this.#needs.asking.open();
    try {
      const fields = fieldsWithout(statement, typeIds, admission);
      return rowDescription(fields, formatsFor([], fields.length));
    } catch (error) {
      if (route === 'rows') throw error;
      return null;
    }
  }

  #ofEngine(statement: sql.PostgresStatement, portal: Portal, waiting: Waiting): Answer {
    const { prepared, values, parameterFormats, formats } = portal;
    const parameters = values.map((value, at) =>
      parameterValue(value, prepared.typeIds[at], parameterFormats[at]),
    );
    const request = this.#needs.asking.ask('rows', statement.text);
    try {
      const bound = bindSelect(statement, parameters, request.admission);
      return answerSelect(this.#needs.engine, request, bound, formats, waiting);
    } catch (error) {
      request.over(error, 0);
      throw error;
    }
  }

  async #ofCatalog(statement: sql.PostgresStatement, portal: Portal, waiting: Waiting): Promise<Answer> {
    const forbidden = forbiddenCall(statement);
    if (forbidden !== null) {
      throw new ProtocolFault('42501', `${forbidden.text} is not available: the catalog is for looking at`);
    }
    const { values, parameterFormats, formats, prepared } = portal;
    const asked: CatalogStatement = {
      text: withNewerNames(statement, prepared.text),
      position: sql.characterAt(prepared.text, statement.tokens[0].place),
      typeIds: prepared.typeIds,
      values,
      parameterFormats,
      formats,
    };
    const request = this.#needs.asking.ask('columns', statement.text);
    try {
      return await catalogAnswer(this.#needs.catalog, request, asked, waiting);
    } catch (error) {
      request.over(error instanceof ProtocolFault ? null : error, 0);
      throw error;
    }
  }
}
