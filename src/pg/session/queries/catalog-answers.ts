/** Answers and describes queries on the system catalogs. */
import * as sql from '../../../sql/index.js';
import type { VisibleSessions } from '../../activity/activity.js';
import {
  type CatalogRunner,
  type CatalogStatement,
  catalogAnswer,
  catalogDescription,
} from '../../catalog/answer.js';
import { refuseComplex } from '../../catalog/bounds.js';
import { ProtocolError, ReadsRows } from '../../protocol/errors.js';
import type { Answer } from '../answer.js';
import type { Portal, PreparedStatement } from '../portal.js';
import type { Waiting } from '../waiting.js';
import { forbiddenCall } from './routing.js';
import type { PostgresRequest } from './select.js';

/** The parameters and rows of a statement whose parameter values are unknown. */
export interface StatementDescription {
  readonly typeIds: readonly number[];
  /** RowDescription; null = the statement returns no rows. */
  readonly rows: Buffer | null;
}

export interface CatalogDependencies {
  readonly client: { execute(scope: 'columns', text: string, stop: () => void): PostgresRequest };
  readonly catalog: CatalogRunner;
  readonly sessions: VisibleSessions;
}

export class CatalogAnswers {
  readonly #dependencies: CatalogDependencies;
  readonly #userName: string;

  constructor(dependencies: CatalogDependencies, userName: string) {
    this.#dependencies = dependencies;
    this.#userName = userName;
  }

  /** Rejects with ReadsRows if the statement reads tables of the engine. */
  answer(statement: sql.PostgresStatement, portal: Portal): Promise<Answer> {
    const { values, parameterFormats, formats, waiting } = portal;
    const bound = { values, parameterFormats, formats };
    return this.#query(statement, portal, (request, catalogStatement) =>
      catalogAnswer(this.#dependencies.catalog, request, catalogStatement, bound, waiting),
    );
  }

  /** Returns null if the statement reads tables of the engine. */
  async describe(
    statement: sql.PostgresStatement,
    prepared: PreparedStatement,
    waiting: Waiting,
  ): Promise<StatementDescription | null> {
    try {
      const described = await this.#query(statement, { prepared, waiting }, (request, catalogStatement) =>
        catalogDescription(this.#dependencies.catalog, request, catalogStatement, waiting),
      );
      prepared.isOfCatalog = true;
      return described;
    } catch (error) {
      if (error instanceof ReadsRows) return null;
      throw error;
    }
  }

  async #query<T>(
    statement: sql.PostgresStatement,
    { prepared: { text, typeIds }, waiting }: Pick<Portal, 'prepared' | 'waiting'>,
    query: (request: PostgresRequest, catalogStatement: CatalogStatement) => Promise<T>,
  ): Promise<T> {
    const forbidden = forbiddenCall(statement);
    if (forbidden !== null) {
      throw new ProtocolError('42501', `${forbidden.text} is not available: the catalog is read-only`);
    }
    refuseComplex(statement.text, statement.tokens);
    const request = this.#dependencies.client.execute('columns', statement.text, () => waiting.cancel());
    const catalogStatement: CatalogStatement = {
      text: withNewerNames(statement, text),
      position: sql.characterAt(text, statement.tokens[0].position),
      typeIds,
      userName: this.#userName,
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
